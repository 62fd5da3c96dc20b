import type { Command } from 'commander'
import { type OutputOptions, openSession } from '../session.ts'
import { factLine, printable } from '../terminal/printable.ts'
import { dollarsText } from '../terminal/quantities.ts'
import { printLine } from '../terminal/stdout.ts'

export const addAccount = (program: Command): Command =>
  program
    .command('account')
    .summary('show the balance and the limits')
    .description('Shows the balance and the limits of the account, and the address of Haul.')
    .addHelpText('after', '\nExample:\n  haul account --json')
    .action(showAccount)

const showAccount = async (options: OutputOptions): Promise<void> => {
  const { haul, baseUrl, signal, print, paint } = await openSession(options)
  const account = await haul.account({ signal })
  const { requestsPerHour, concurrentJobs } = account.limits
  const facts = [
    factLine('Available', dollarsText(account.availableDollars)),
    factLine('Held', `${dollarsText(account.heldDollars)} for jobs that run`),
    factLine('At once', `${concurrentJobs.import} imports, ${concurrentJobs.transcription} transcriptions`),
    factLine('Per hour', `${requestsPerHour.import} imports, ${requestsPerHour.transcribe} transcriptions`),
    factLine('Address', baseUrl),
  ]
  await print(account, async () => {
    await printLine(`${paint('bold', printable(account.name))} (${printable(account.accountId)})`)
    await printLine(facts.join('\n'))
  })
}
