// The long form of test/reports/doors-reports.test.ts: each statement in each place.
import { injectionTests } from '../../reports/injections.ts'

injectionTests({ everywhere: true })
