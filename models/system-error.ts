// Errors of the operating system about files and programs, in words.

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'nothing of this name',
  EISDIR: 'a folder',
  ENOTDIR: 'a file where the path needs a folder',
  EEXIST: 'something of this name',
  EACCES: 'no right to it',
  EPERM: 'no right to it',
  EROFS: 'a file system that can only be read',
  ELOOP: 'links that lead in a circle',
  ENAMETOOLONG: 'a name that is too long',
}

/** `a folder (EISDIR)`: the code stays, since it is what one searches for; the code alone if there are no words for it. */
export function systemWords(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string') return String(error)
  const words = WORDS[code]
  return words === undefined ? code : `${words} (${code})`
}
