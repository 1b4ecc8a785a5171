// What the venue is about to answer, before it goes on the wire and before faults are drawn.
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
