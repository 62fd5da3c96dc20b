import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addAccount } from './commands/account.ts'
import { addBatch } from './commands/batch.ts'
import { addImport } from './commands/import.ts'
import { addCancel, addJobs } from './commands/jobs.ts'
import { addKeys } from './commands/keys.ts'
import { addListen } from './commands/listen.ts'
import { addLogin } from './commands/login.ts'
import { addLook } from './commands/look.ts'
import { addModels } from './commands/models.ts'
import { addSearch } from './commands/search.ts'
import { addTranscribe } from './commands/transcribe.ts'
import { addWatch } from './commands/watch.ts'
import { addWatches } from './commands/watches.ts'

const about = 'Imports media from any URL and transcribes it.'

const more = `
Examples:
  haul transcribe https://example.com/talk
  haul import https://example.com/talk --quality 720p

In a checkout with \`npm start\` running, address and key are found. Elsewhere:
\`haul login\`, or HAUL_API_KEY and HAUL_URL.
Exit codes: 0 done, 1 failed, 2 refused, 3 money, 4 unreachable, 130 canceled.`

const commands = [
  ...[addImport, addTranscribe, addLook, addBatch, addWatch, addJobs, addSearch, addWatches],
  ...[addCancel, addModels, addAccount, addKeys, addListen, addLogin],
]

/** package.json is one folder above the source, and two above the compiled file. */
const packageFile = new URL(import.meta.url.endsWith('.ts') ? '../package.json' : '../../package.json', import.meta.url)

const argumentsOf = (command: Command): string[] => command.registeredArguments.map((each) => `<${each.name()}>`)

export const createProgram = (): Command => {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
  const program = new Command('haul')
    .description(about)
    .version(version, '-V, --version')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => [command.name(), ...argumentsOf(command)].join(' ') })
    .addHelpText('after', more)
    .exitOverride()
  for (const add of commands) complete(add(program))
  return program
}

/** What all commands have. One that has commands of its own has no options. */
const complete = (command: Command): void => {
  command.showHelpAfterError('Run the command with --help to see its options.').exitOverride()
  if (command.commands.length === 0) {
    command
      .option('--json', 'print the data of the API, nothing else')
      .option('-q, --quiet', 'no progress and no notes')
  }
  command.commands.forEach(complete)
}
