#!/usr/bin/env node
// The program: it looks at what it is started with before it loads what could not be read there.
import { inWords, runsOn } from './config/node-version.ts'
import { neededNode } from './config/root.ts'

/** Ends the process with an error that looks like every other one, though nothing of the program is loaded. */
function refuse(what: string, expected: string, found: string, action: string): void {
  const text = `tieout: ${what}\n  expected: ${expected}\n  found:    ${found}\n  next:     ${action}\n`
  process.stderr.write(text, () => process.exit(2))
}

function hasWorkingFolder(): boolean {
  try {
    return process.cwd() !== ''
  } catch {
    return false
  }
}

const { node } = process.versions
if (!runsOn(node, neededNode))
  refuse(
    'This version of Node does not run tieout.',
    `Node ${inWords(neededNode)}`,
    `Node ${node}, ${process.execPath}`,
    'Install one of those, and let it come first in PATH.',
  )
else if (!hasWorkingFolder())
  refuse(
    'The folder in which tieout was started is gone.',
    'a working folder that is there',
    'none',
    'Change into another folder (`cd`), then run again.',
  )
else {
  try {
    const { runProgram } = await import('./program.ts')
    process.exitCode = await runProgram()
  } catch (error) {
    const [found = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    if (/^E[MN]FILE\b/.test(found))
      refuse(
        'The program cannot be loaded: no more files may be open.',
        'a limit of open files that tieout can work under, such as 1024',
        found,
        'Raise it (`ulimit -n`, or LimitNOFILE= of a service), then run again.',
      )
    else
      refuse(
        'The program cannot be loaded.',
        'the whole package as npm installs it, with DuckDB for this machine (one of its optional packages)',
        found,
        'Install tieout again, with its optional packages. While it is being updated, run again after that.',
      )
  }
}
