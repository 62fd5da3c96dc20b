import { CommanderError } from 'commander'
import { withUnwantedWords } from './commands/search.ts'
import { exitCodeOf, exitCodes, Reported } from './exit-codes.ts'
import { createProgram } from './program.ts'
import { withPresets } from './start-flags.ts'
import { errorLines } from './terminal/error-text.ts'
import { endQuietlyWithoutReader, painter } from './terminal/output.ts'

/** The parser prints its own errors. Its exit codes are 0 for help that was asked for, and 1 for everything else. */
const report = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.refused
  if (!(error instanceof Reported)) {
    const paint = painter(process.stderr)
    process.stderr.write(`${paint('red', 'haul:')} ${errorLines(error).join('\n')}\n`)
  }
  return exitCodeOf(error)
}

endQuietlyWithoutReader()
try {
  const words = withUnwantedWords(withPresets(process.argv.slice(2)))
  await createProgram().parseAsync(words, { from: 'user' })
} catch (error) {
  process.exitCode = report(error)
}
