import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findConnection, isLoopback, loginFile, writeLogin } from '../../../../client/cli/connection.ts'

let folder: string
let env: NodeJS.ProcessEnv
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-connection-'))
  env = { XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder }
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const local = { baseUrl: 'http://127.0.0.1:8787', apiKey: 'local' }
const stored = { baseUrl: 'https://haul.example.com', apiKey: 'stored' }

const runCheckout = async (stateDir: string, { pid = process.pid, connection = local } = {}) => {
  await mkdir(stateDir, { recursive: true })
  await writeFile(join(stateDir, 'dev.json'), JSON.stringify({ ...connection, adminToken: 'never used' }))
  await writeFile(join(stateDir, 'running.pid'), String(pid))
}
const login = () => writeLogin(loginFile(env), stored)
const found = (more: NodeJS.ProcessEnv = {}, from = folder) => findConnection({ ...env, ...more }, from)

describe('where the address and the key come from', () => {
  test('the environment comes first', async () => {
    await runCheckout(join(folder, '.haul'))
    await login()
    const named = { HAUL_API_KEY: 'named', HAUL_URL: 'https://named.test' }
    expect(await found(named)).toEqual({ apiKey: 'named', baseUrl: 'https://named.test' })
  })

  test('a Haul that runs in this checkout is found from any folder in it', async () => {
    await runCheckout(join(folder, '.haul'))
    await login()
    await mkdir(join(folder, 'a/b'), { recursive: true })
    expect(await found({}, join(folder, 'a/b'))).toEqual(local)
  })

  test('HAUL_STATE names the folder of a Haul that runs elsewhere', async () => {
    await runCheckout(join(folder, 'state'))
    expect(await found({ HAUL_STATE: 'state' })).toEqual(local)
  })

  test('a checkout whose Haul has ended is passed over', async () => {
    // No process has this id: the largest that Linux gives is 4,194,304.
    await runCheckout(join(folder, '.haul'), { pid: 99_999_999 })
    await login()
    expect(await found()).toEqual(stored)
  })

  test('a dev.json that names another machine is passed over', async () => {
    await runCheckout(join(folder, '.haul'), { connection: { ...local, baseUrl: 'https://evil.test' } })
    await login()
    expect(await found()).toEqual(stored)
  })

  test('a stored key is not sent to another address', async () => {
    await login()
    expect(await found({ HAUL_URL: 'https://haul.example.com/' })).toEqual(stored)
    await expect(found({ HAUL_URL: 'https://other.test' })).rejects.toThrow('no API key for https://other.test')
  })

  test('HAUL_API_KEY alone goes to the address that is known', async () => {
    await login()
    expect(await found({ HAUL_API_KEY: 'named' })).toEqual({ ...stored, apiKey: 'named' })
  })

  test('without a key one sentence says how to get one', async () => {
    await expect(found()).rejects.toThrow(/^There is no API key: run `haul login` or .*\.$/)
    await expect(found({ HAUL_API_KEY: 'named' })).rejects.toThrow('HAUL_URL is missing')
  })
})

describe('the stored login', () => {
  test('only its owner can read the file and its folder', async () => {
    await login()
    expect((await stat(loginFile(env))).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'config/haul'))).mode & 0o777).toBe(0o700)
    await writeFile(loginFile(env), '{}', { mode: 0o644 })
    await login()
    expect((await stat(loginFile(env))).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'config/haul'))).toEqual(['login.json'])
  })

  test.each([
    [{ XDG_CONFIG_HOME: '/x', HOME: '/h' }, 'linux', '/x/haul/login.json'],
    [{ HOME: '/h' }, 'darwin', '/h/.config/haul/login.json'],
    [{ APPDATA: '/appdata', HOME: '/h' }, 'win32', '/appdata/haul/login.json'],
  ])('with %o on %s it is %s', (given, platform, path) => expect(loginFile(given, platform)).toBe(path))
})

test.each([
  ['http://127.0.0.1:8787', true],
  ['http://localhost:1', true],
  ['http://[::1]:1', true],
  ['http://127.0.0.1.evil.test', false],
  ['http://localhost.evil.test', false],
  ['https://haul.example.com', false],
  ['not a url', false],
])('%s is this machine: %s', (url, expected) => expect(isLoopback(url)).toBe(expected))
