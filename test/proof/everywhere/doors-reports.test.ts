// The long form of test/reports/doors-reports.test.ts.
import { injectionTests } from '../reports/injections.ts'

injectionTests({ everywhere: true })
