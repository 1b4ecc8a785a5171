// The process in which the hash of a published ledger is calculated: all of it is read, and the server is to stay small.
import { answerOnce } from '../reports/answer-once.ts'
import { answerHash } from './hash-answer.ts'

answerOnce(answerHash)
