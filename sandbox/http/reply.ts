// An answer of the venue before it is sent and before faults are drawn.
import type { Endpoint } from '../endpoints/endpoint.ts'

export interface Reply {
  status: number
  headers: Record<string, string>
  code: string
  msg: string
  data: unknown
  endpoint?: Endpoint
  uid: string | null
}
