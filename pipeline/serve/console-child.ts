// The process in which a query of the console runs: it is asked one question by the server that started it, and ends.
import { answerOnce } from '../reports/answer-once.ts'
import { answerConsole } from './console-answer.ts'

answerOnce(answerConsole)
