import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { restore } from './backup/restore.ts'
import { dataFolder, hasState } from './data/data-folder.ts'
import { readSecrets } from './data/secrets.ts'
import type { Settings } from './settings.ts'
import { readBuild } from './worker/worker-build.ts'
import { withEnvironment } from './worker-variables.ts'

/** What an operator runs beside the server. Each throws a sentence if it fails. Answers go to stdout. */
type Command = (settings: Settings, args: string[]) => Promise<void>

const ask = async ({ dataDir }: Settings, path: string): Promise<IncomingMessage> => {
  const asked = request({ socketPath: dataFolder(dataDir).socket, method: 'POST', path })
  asked.end()
  const [response] = (await once(asked, 'response').catch(() => {
    throw new Error(`Haul is not running with ${dataDir}.`)
  })) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error((await response.toArray()).join(''))
  return response
}

const backup: Command = async (settings) => {
  if (process.stdout.isTTY) throw new Error('Redirect the backup into a file: backup > haul.tar')
  await pipeline(await ask(settings, '/backup'), process.stdout).catch((error: Error) => {
    throw new Error(`The backup is not complete: ${error.message}`)
  })
}

const restoreCommand: Command = async ({ dataDir, buildDir }, args) => {
  if (process.stdin.isTTY) throw new Error('Pass the backup on stdin: restore < haul.tar')
  const { migrations } = await readBuild(buildDir)
  const { createdAt, files, replaced } = await restore({
    folder: dataFolder(dataDir),
    archive: process.stdin,
    replace: args.includes('--replace'),
    knownMigrations: migrations.map(({ name }) => name),
  })
  console.log(`Restored the backup of ${createdAt} (${files} files).`)
  if (replaced) console.log(`What was here before is in ${replaced}.`)
}

const adminToken: Command = async ({ dataDir }) => {
  const folder = dataFolder(dataDir)
  if (!(await hasState(folder))) throw new Error(`There is no data in ${dataDir} yet: start Haul first.`)
  console.log(withEnvironment(await readSecrets(folder.secretsFile), process.env).ADMIN_TOKEN)
}

const apiKey: Command = async (settings) => {
  console.log((await (await ask(settings, '/api-key')).toArray()).join(''))
}

export const commands: Record<string, Command> = {
  backup,
  restore: restoreCommand,
  'admin-token': adminToken,
  'api-key': apiKey,
}
