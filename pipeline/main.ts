#!/usr/bin/env node
// The entry point. It checks its environment first, before loading modules that an older Node could not parse.
import { inWords, runsOn } from './config/node-version.ts'
import { neededNode } from './config/root.ts'

/** Ends the process with an error in the usual form, without loading any of the program. */
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
    'tieout does not run on this version of Node.',
    inWords(neededNode),
    `Node ${node}, ${process.execPath}`,
    'Install a supported version and put it first in PATH.',
  )
else if (!hasWorkingFolder())
  refuse(
    'The folder in which tieout was started no longer exists.',
    'an existing working folder',
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
        'The program cannot be loaded: too many open files.',
        'a sufficient limit on open files, such as 1024',
        found,
        'Raise it (`ulimit -n`, or LimitNOFILE= of a service), then run again.',
      )
    else
      refuse(
        'The program cannot be loaded.',
        'the complete package as npm installs it, including DuckDB for this machine (an optional dependency)',
        found,
        'Reinstall tieout with its optional dependencies. If it is just being updated, run again afterwards.',
      )
  }
}
