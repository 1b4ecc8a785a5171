// The process that calculates the hash of a published ledger. It reads the whole ledger, and the server should stay small.
import { answerOnce } from '../reports/answer-once.ts'
import { answerHash } from './hash-answer.ts'

answerOnce(answerHash)
