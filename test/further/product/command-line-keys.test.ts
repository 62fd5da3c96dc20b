import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listenOnLoopback } from '../../support/loopback.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { type InstalledHaul, installHaul } from '../../support/product/command-line.ts'
import { product } from '../../support/product/product.ts'

/** `haul keys`, and what the other commands do with a key that may not do everything, against the whole product. */
const site = product()
let command: InstalledHaul
let client: AccountClient
let env: NodeJS.ProcessEnv

interface Key {
  keyId: string
  name: string | null
  lastUsedAt: string | null
}

beforeAll(async () => {
  command = await installHaul()
  // If the client has changed, it is compiled first.
}, 60_000)
afterAll(() => command?.remove())

beforeEach(async () => {
  client = await site.newClient()
  env = { HAUL_API_KEY: client.apiKey, HAUL_URL: site.haul.baseUrl, TZ: 'UTC' }
})

const haul = (...args: string[]) => command.run(args, { env })
const withKey = (apiKey: string) => ({ ...env, HAUL_API_KEY: apiKey })
const slow = (name: string) => `${site.origin.url}/generated/30000000.mp4?ratePerSecond=500000&${name}`
const keys = async () => (await client.get<{ keys: Key[] }>('/keys')).keys
const newKey = async (terms: object) =>
  client.post<{ keyId: string; apiKey: string }>('/keys', { name: 'program', ...terms })

describe('haul keys create', () => {
  test('prints only the key on stdout, so that a shell can keep it, and what it may do on stderr', async () => {
    const line = 'KEY=$(haul keys create ci --scopes read,transcribe --budget 5 --expires 2099-01-31) && echo "[$KEY]"'
    const { stdout, stderr, exitCode } = await command.runProgram('bash', ['-c', line], { env })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^\[haul_\w+\]\n$/)
    const made = (await keys()).find(({ name }) => name === 'ci')
    expect(made).toMatchObject({
      ...{ scopes: ['read', 'transcribe'], dollarsPerMonth: 5 },
      ...{ expiresAt: '2099-01-31T00:00:00.000Z', allowedOrigins: [] },
    })
    expect(stderr.split('\n')).toEqual([
      `ci (${made?.keyId})`,
      'Scopes:     read, transcribe',
      'Budget:     $5.00 a month',
      'Expires:    2099-01-31 00:00',
      'The key is shown only this once.',
      '',
    ])
    const account = await command.run(['account', '--json'], { env: withKey(stdout.slice(1, -2)) })
    expect(JSON.parse(account.stdout)).toMatchObject({ accountId: client.accountId })
  })

  test('--json prints what the API says, and --quiet nothing but the key', async () => {
    const { stdout, stderr } = await haul(
      'keys',
      'create',
      'page',
      '--origin',
      'https://a.test',
      'https://b.test',
      '--json',
    )
    expect(JSON.parse(stdout)).toMatchObject({
      ...{
        name: 'page',
        allowedOrigins: ['https://a.test', 'https://b.test'],
        apiKey: expect.stringMatching(/^haul_/),
      },
    })
    expect(stderr).toBe('')
    const quiet = await haul('keys', 'create', 'ci', '--quiet')
    expect(quiet).toMatchObject({ stdout: expect.stringMatching(/^haul_\w+\n$/), stderr: '', exitCode: 0 })
  })

  test('without a name, with wrong values and with a limited key, nothing is made', async () => {
    expect(await haul('keys', 'create')).toMatchObject({ stdout: '', exitCode: 2 })
    expect(await haul('keys', 'create', 'ci', '--expires', 'soon')).toMatchObject({ stdout: '', exitCode: 2 })
    const unknown = await haul('keys', 'create', 'ci', '--scopes', 'write')
    expect(unknown).toMatchObject({ stdout: '', exitCode: 2, stderr: expect.stringContaining('INVALID_REQUEST') })
    const { apiKey } = await newKey({ scopes: ['read', 'manage'] })
    const more = await command.run(['keys', 'create', 'ci', '--scopes', 'import'], { env: withKey(apiKey) })
    expect(more).toMatchObject({ stdout: '', exitCode: 2, stderr: expect.stringContaining('needs a full key') })
    expect(await keys()).toHaveLength(2)
  })

  test('after a lost connection it makes no second key, and says where the first one would be', async () => {
    const requests: string[] = []
    const losing = await listenOnLoopback(
      createServer((request) => {
        requests.push(`${request.method} ${request.url}`)
        request.socket.resetAndDestroy()
      }),
    )
    const { stdout, stderr, exitCode } = await command.run(['keys', 'create', 'ci'], {
      env: { HAUL_API_KEY: 'any', HAUL_URL: losing.url },
    })
    expect({ stdout, exitCode, requests }).toEqual({ stdout: '', exitCode: 4, requests: ['POST /keys'] })
    expect(stderr).toContain('The key may have been made all the same: `haul keys` lists it.')
    await losing.close()
  })
})

describe('haul keys', () => {
  test('is a table of what each key may do and has spent, or the list of the API', async () => {
    const { keyId } = await newKey({ name: 'ci', scopes: ['import'], dollarsPerMonth: 5 })
    const lines = (await haul('keys')).stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^Name +Scopes +This month +Expires +Last used$/)
    expect(lines).toContainEqual(expect.stringMatching(/^ci +import +\$0\.00 of \$5\.00 +never +never$/))
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^ {2}${keyId} {2}haul_\\w+…$`)))
    // Its own requests count as the last use of its key.
    const listed = (await keys()).map((key) => ({ ...key, lastUsedAt: key.lastUsedAt && expect.any(String) }))
    expect(JSON.parse((await haul('keys', '--json')).stdout)).toEqual({ keys: listed })
    expect((await haul('keys', 'list', '-q')).stdout.split('\n')[0]).toBe(lines[0])
  })

  test('a command that it does not have is wrong use', async () => {
    expect(await haul('keys', 'destroy', 'key_1')).toMatchObject({ stdout: '', exitCode: 2 })
  })
})

describe('haul keys update and remove', () => {
  test('what is named changes, and none and never take a limit away', async () => {
    const { keyId } = await newKey({ dollarsPerMonth: 5, expiresAt: '2099-01-31T00:00:00Z', scopes: ['read'] })
    const { stdout, exitCode } = await haul(...['keys', 'update', keyId], ...['--budget', 'none', '--expires', 'never'])
    expect(exitCode).toBe(0)
    expect(stdout.split('\n')).toEqual([
      `program (${keyId})`,
      ...['Scopes:     read', 'Budget:     none', 'Expires:    never', ''],
    ])
    await haul('keys', 'update', keyId, '--name', 'page', '--origin', 'https://a.test')
    const { stdout: json } = await haul('keys', 'update', keyId, '--scopes', 'read,import', '--json')
    expect(JSON.parse(json)).toEqual((await keys()).find((key) => key.keyId === keyId))
    expect(JSON.parse(json)).toMatchObject({ name: 'page', allowedOrigins: ['https://a.test'], dollarsPerMonth: null })
    expect((await haul('keys', 'update', keyId, '--origin', 'none')).stdout).not.toContain('Pages:')
  })

  test('a change of nothing and an unknown key are refused', async () => {
    const nothing = await haul('keys', 'update', client.keyId)
    expect(nothing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Name what to change: --name') })
    const unknown = await haul('keys', 'update', 'key_unknown', '--name', 'ci')
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('(NOT_FOUND, req_') })
  })

  test('a removed key is refused, and the last full one stays', async () => {
    const { keyId, apiKey } = await newKey({ scopes: ['read'] })
    expect(await haul('keys', 'remove', keyId)).toEqual({ stdout: `${keyId} is removed.\n`, stderr: '', exitCode: 0 })
    const refused = await command.run(['account'], { env: withKey(apiKey) })
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('UNAUTHORIZED') })
    const last = await haul('keys', 'remove', client.keyId, '--json')
    expect(last).toMatchObject({ stdout: '', exitCode: 2, stderr: expect.stringContaining('LAST_KEY') })
    expect(await keys()).toHaveLength(1)
  })
})

describe('with a key that may not do everything', () => {
  test('a command that needs another scope exits with 2 and the sentence of the API', async () => {
    const { apiKey } = await newKey({ scopes: ['import'] })
    const run = (...args: string[]) => command.run(args, { env: withKey(apiKey) })
    expect(await run('account')).toMatchObject({
      ...{ stdout: '', exitCode: 2 },
      stderr: expect.stringMatching(
        /^haul: This request needs a key with the scope read\. \(SCOPE_MISSING, req_\w+\)$/m,
      ),
    })
    for (const args of [['keys'], ['listen'], ['transcribe', site.media()], ['keys', 'remove', client.keyId]]) {
      expect(await run(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('SCOPE_MISSING') })
    }
  })

  test('haul jobs lists what the key has started, and haul cancel cancels it', async () => {
    const { apiKey } = await newKey({ scopes: ['import'] })
    const run = (...args: string[]) => command.run(args, { env: withKey(apiKey) })
    const foreign = await client.start({ url: slow('foreign') })
    const own = (await run('import', slow('own'), '--no-wait')).stdout.trim()
    const { stdout } = await run('jobs')
    expect(stdout).toContain(own)
    expect(stdout).not.toContain(foreign)
    expect(await run('cancel', own)).toMatchObject({ stdout: `${own} is canceled.\n`, exitCode: 0 })
    expect(await run('cancel', foreign)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('NOT_FOUND') })
    await client.remove(`/jobs/${foreign}`)
  })

  test('haul login stores a key that may not read the account', async () => {
    const { apiKey } = await newKey({ scopes: ['transcribe'] })
    const login = await command.run(['login'], { env: { HAUL_URL: site.haul.baseUrl }, input: apiKey })
    expect(login).toMatchObject({ stdout: 'Logged in with a key that may not read the account.\n', exitCode: 0 })
  })

  test('haul listen shows events with the scope read, and needs manage for the secret of a receiver', async () => {
    const { apiKey } = await newKey({ scopes: ['read'] })
    const listening = command.start(['listen'], { env: withKey(apiKey) })
    await listening.printed(/^Listening/m)
    const jobId = await client.start({ url: site.media() })
    await listening.printed(new RegExp(`job\\.started +${jobId}`))
    listening.kill('SIGINT')
    expect((await listening.ended).stderr).not.toContain('whsec_')
    const forwarding = await command.run(['listen', '--forward-to', site.receiver.url], { env: withKey(apiKey) })
    expect(forwarding).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('the scope manage') })
  })

  test('a start beyond the budget of the key exits with 3, and says when the next month begins', async () => {
    const { apiKey } = await newKey({ scopes: ['import'], dollarsPerMonth: 0.001 })
    const { exitCode, stderr } = await command.run(['import', site.media()], { env: withKey(apiKey) })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('KEY_BUDGET_EXCEEDED')
    expect(stderr).toMatch(/^ {2}The next month of the budget begins at \d{4}-\d\d-01 00:00\.$/m)
  })
})
