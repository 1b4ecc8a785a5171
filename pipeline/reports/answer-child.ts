// The process in which a user's query runs: it is asked one question by the process that started it, and ends.
import { answerHere } from './answer.ts'
import { answerOnce } from './answer-once.ts'

answerOnce(answerHere)
