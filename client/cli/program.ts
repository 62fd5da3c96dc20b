import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addAccount } from './commands/account.ts'
import { addBatch } from './commands/batch.ts'
import { addCancel } from './commands/cancel.ts'
import { addImport } from './commands/import.ts'
import { addJobs } from './commands/jobs.ts'
import { addListen } from './commands/listen.ts'
import { addLogin } from './commands/login.ts'
import { addLook } from './commands/look.ts'
import { addTranscribe } from './commands/transcribe.ts'

const about = `Imports media from any URL and transcribes it.

In a checkout of Haul with \`npm start\` running, address and key are found. Elsewhere
set HAUL_API_KEY and HAUL_URL, or run \`haul login\`.`

const examples = `
Examples:
  haul transcribe https://example.com/talk
  haul import https://example.com/talk --quality 720p
  haul listen --forward-to http://localhost:3000/webhooks

Exit codes: 0 done, 1 the job failed, 2 wrong use or refused, 3 money,
4 the service could not be reached, 130 canceled with Ctrl-C.`

const commands = [addImport, addTranscribe, addLook, addBatch, addJobs, addCancel, addAccount, addListen, addLogin]

/** Beside the compiled file or beside the source: two folders up, or one. */
const packageFile = new URL(import.meta.url.endsWith('.ts') ? '../package.json' : '../../package.json', import.meta.url)

export const createProgram = (): Command => {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
  const program = new Command('haul')
    .description(about)
    .version(version, '-V, --version')
    .helpCommand(false)
    .addHelpText('after', examples)
    .exitOverride()
  for (const add of commands) {
    add(program)
      .option('--json', 'print the data of the API, nothing else')
      .option('-q, --quiet', 'no progress and no notes')
      .showHelpAfterError('Run the command with --help to see its options.')
      .exitOverride()
  }
  return program
}
