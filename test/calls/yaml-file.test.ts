// An entry that is added to one of the user's YAML files, and the file that it is added to.
import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addToYaml } from '../../pipeline/calls/yaml-file.ts'
import { temporaryFolder } from '../support/cli.ts'

const entry = { key: '0012', secret: 'abc' }
const modeOf = (path: string): number => statSync(path).mode & 0o777

test('a new file has the mode that is asked for, and values of digits stay texts', async () => {
  const file = join(temporaryFolder(), 'credentials.yaml')

  await addToYaml(file, ['sub-1'], entry, 0o600)

  expect(readFileSync(file, 'utf8')).toBe('sub-1:\n  key: "0012"\n  secret: "abc"\n')
  expect(modeOf(file)).toBe(0o600)
})

test('an existing file keeps its mode', async () => {
  const file = join(temporaryFolder(), 'tieout.yaml')
  writeFileSync(file, 'accounts: {}\n')
  chmodSync(file, 0o640)

  await addToYaml(file, ['accounts', 'sub-1'], { uid: '17' }, 0o600)

  expect(readFileSync(file, 'utf8')).toBe('accounts:\n  sub-1:\n    uid: "17"\n')
  expect(modeOf(file)).toBe(0o640)
})

test('a link stays a link, and the file to which it leads is replaced', async () => {
  const dir = temporaryFolder()
  const file = join(dir, 'kept-elsewhere.yaml')
  const link = join(dir, 'credentials.yaml')
  writeFileSync(file, '# Keys.\nmain:\n  key: a\n')
  symlinkSync(file, link)

  await addToYaml(link, ['sub-1'], entry, 0o600)

  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readlinkSync(link)).toBe(file)
  expect(readFileSync(file, 'utf8')).toBe(
    '# Keys.\nmain:\n  key: a\nsub-1:\n  key: "0012"\n  secret: "abc"\n',
  )
})
