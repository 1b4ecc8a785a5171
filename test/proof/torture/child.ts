// The real command line behind the switch that kills it.
import './kill-switch.ts'
import '../../../pipeline/main.ts'
