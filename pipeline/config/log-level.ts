// The log levels at which standard error is meant for a program and holds only log lines. In its own file, because the
// command line needs it before it loads anything.

/** Whether standard error holds only log lines. */
export const logsAlone = (level: string): boolean => level === 'info' || level === 'debug'
