// The process that runs a console query: it answers one query from the server that started it, then exits.
import { answerOnce } from '../reports/answer-once.ts'
import { answerConsole } from './console-answer.ts'

answerOnce(answerConsole)
