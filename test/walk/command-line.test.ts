import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixture } from '../doubles/origin/fixtures.ts'
import type { Received } from '../doubles/webhook-receiver.ts'
import { type InstalledHaul, installHaul } from '../support/product/command-line.ts'
import { product } from '../support/product/product.ts'

/** The command `haul`, as npm installs it. */
const site = product()
let command: InstalledHaul
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  command = await installHaul()
  env = { HAUL_API_KEY: (await site.newClient()).apiKey, HAUL_URL: site.haul.baseUrl }
  // If the client has changed, it is compiled first.
}, 60_000)
afterAll(() => command?.remove())

test('haul import writes the file, and haul transcribe the words', async () => {
  const imported = await command.run(['import', site.media(), '-o', 'talk.mp4', '-q'], { env })
  expect(imported).toEqual({ stdout: 'talk.mp4\n', stderr: '', exitCode: 0 })
  expect(await readFile(join(command.folder, 'talk.mp4'))).toEqual(await readFile(fixture('faststart.mp4')))
  const words = await command.run(['transcribe', `${site.origin.url}/page/video.html`], { env })
  expect(words).toMatchObject({ stdout: expect.stringMatching(/^A tone\.\s+Still a tone\.\n$/), exitCode: 0 })
})

test('haul listen prints and forwards the events of the account', async () => {
  const [client, path] = await site.newPair()
  const args = ['listen', '--forward-to', `${site.receiver.url}${path}`]
  const listening = command.start(args, { env: { ...env, HAUL_API_KEY: client.apiKey } })
  await listening.printed(/^Listening/m)
  const jobId = await client.start({ url: site.media() })
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  expect(JSON.parse(received.body)).toMatchObject({ type: 'import.completed', data: { jobId } })
  await listening.printed(/-> 200$/m)
  listening.kill('SIGINT')
  expect((await listening.ended).exitCode).toBe(130)
})

test('haul keys makes and removes a key', async () => {
  const { stdout: apiKey } = await command.run(['keys', 'create', 'ci', '--scopes', 'read', '-q'], { env })
  const { keys } = JSON.parse((await command.run(['keys', '--json'], { env })).stdout)
  const { keyId } = keys.find(({ name }: { name: string }) => name === 'ci')
  const status = async () => (await site.clientWith(apiKey.trim()).request('GET', '/jobs')).status
  expect(await status()).toBe(200)
  expect(await command.run(['keys', 'remove', keyId, '-q'], { env })).toMatchObject({ exitCode: 0 })
  expect(await status()).toBe(401)
})
