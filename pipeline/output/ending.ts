// In which form an output is: as it was asked for, else as the ending of its file says, else as the command usually has it.
import { stat } from 'node:fs/promises'
import { extname, sep } from 'node:path'
import { UsageError } from '../../models/error.ts'

/**
 * Endings that mean one form, whichever command writes it, and those of documents, data and archives that none of them writes: a
 * table of text under such a name opens nowhere, or as something else. Any other, `.txt` among them, leaves the form open.
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
  tsv: 'tsv',
  jsonl: 'jsonl',
  ndjson: 'ndjson',
  gz: 'gz',
  zip: 'zip',
} as const

interface Asked<Form extends string> {
  /** The form that the command line names. */
  readonly form: Form | undefined
  readonly out: string | undefined
}

interface Forms<Form extends string> {
  /** What the command can write. */
  readonly writes: readonly Form[]
  /** What it writes where nothing says another form. */
  readonly usual: Form
}

/** UsageError where the ending is that of another form than was asked for, or of one that the command does not write. */
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
      action: 'Change the ending.',
    })
  throw new UsageError(`The output is to be ${form}, but its file name has the ending of another format.`, {
    ...refusal,
    action: 'Change the ending, or ask for the format it stands for.',
  })
}

const isKnown = (ending: string): ending is keyof typeof FORMS => Object.hasOwn(FORMS, ending)

/** The ending of a file, in lower case; of a folder none, which takes a file that the command names. */
async function endingOf(out: string): Promise<string> {
  if (out.endsWith('/') || out.endsWith(sep)) return ''
  // What cannot be looked at is told when it is to be written.
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
