// The format of an output: the one asked for, else the one that the file's extension implies, else the
// command's default.
import { stat } from 'node:fs/promises'
import { extname, sep } from 'node:path'
import { UsageError } from '../../models/error.ts'

/**
 * Extensions that imply one format, whichever command writes it, and those of documents, data and archives
 * that no command writes: a text table under such a name would not open, or open as something else. Any other
 * extension, such as `.txt`, leaves the format open.
 */
const FORMS = {
  csv: 'csv',
  json: 'json',
  xlsx: 'xlsx',
  html: 'html',
  htm: 'html',
  parquet: 'parquet',
  beancount: 'beancount',
  bean: 'beancount',
  journal: 'hledger',
  hledger: 'hledger',
  pdf: 'pdf',
  xls: 'xls',
  ods: 'ods',
  docx: 'docx',
  doc: 'doc',
  odt: 'odt',
  tsv: 'tsv',
  jsonl: 'jsonl',
  ndjson: 'ndjson',
  gz: 'gz',
  zip: 'zip',
} as const

interface Asked<Form extends string> {
  /** The format that the command line names. */
  readonly form: Form | undefined
  readonly out: string | undefined
}

interface Forms<Form extends string> {
  /** What the command can write. */
  readonly writes: readonly Form[]
  /** The default format. */
  readonly usual: Form
}

/**
 * UsageError if the extension is that of a format other than the one asked for, or of one that the command
 * does not write.
 */
export async function formOf<Form extends string>(
  { form, out }: Asked<Form>,
  { writes, usual }: Forms<Form>,
): Promise<Form> {
  const ending = out === undefined ? '' : await endingOf(out)
  if (out === undefined || !isKnown(ending)) return form ?? usual
  const meant = writes.find((one) => one === FORMS[ending])
  if (form === undefined && meant !== undefined) return meant
  if (form !== undefined && form === meant) return form
  const refusal = {
    where: `--out ${out}`,
    expected: `a name that ends in ${endingsFor(form === undefined ? writes : [form])}`,
    found: `.${ending}`,
  }
  if (form === undefined)
    throw new UsageError('The file name has the ending of a format that this command does not write.', {
      ...refusal,
      action: isPaper(ending, writes)
        ? 'Write .html instead, and print it, or save it as a PDF, from a browser.'
        : 'Change the ending.',
    })
  throw new UsageError(`The output is to be ${form}, but its file name has the ending of another format.`, {
    ...refusal,
    action: 'Change the ending, or ask for the format that it stands for.',
  })
}

/** A document to read or print, where the command writes one. */
const isPaper = (ending: string, writes: readonly string[]): boolean =>
  ['pdf', 'docx', 'doc', 'odt'].includes(ending) && writes.includes('html')

const isKnown = (ending: string): ending is keyof typeof FORMS => Object.hasOwn(FORMS, ending)

/** The extension of a file, in lower case; empty for a folder, in which the command names the file. */
async function endingOf(out: string): Promise<string> {
  if (out.endsWith('/') || out.endsWith(sep)) return ''
  // A path that cannot be examined is reported when it is written.
  const isFolder = await stat(out).then(
    (there) => there.isDirectory(),
    () => false,
  )
  return isFolder ? '' : extname(out).slice(1).toLowerCase()
}

function endingsFor(forms: readonly string[]): string {
  const endings = Object.entries(FORMS).filter(([, form]) => forms.includes(form))
  return endings.length === 0 ? '.txt' : endings.map(([ending]) => `.${ending}`).join(', ')
}
