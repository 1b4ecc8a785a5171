// When standard error is for a program: at these levels it holds lines of the log alone. By itself, since the command
// line must know it before it loads anything.

/** Whether standard error holds lines of the log alone. */
export const logsAlone = (level: string): boolean => level === 'info' || level === 'debug'
