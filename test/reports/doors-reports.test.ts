// Options of reports, evidence and exports do not let SQL in; the proof asks more of them.
import { injectionTests } from './injections.ts'

injectionTests({ everywhere: false })
