// The process in which a user's query runs: its parent asks it one question, and it ends after answering.
import { answerHere } from './answer.ts'
import { answerOnce } from './answer-once.ts'

answerOnce(answerHere)
