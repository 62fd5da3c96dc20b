import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from '../../../../container/config.ts'
import type { Program } from '../../../../domain/settings/setting.ts'
import { passedOn, problemsIn, readEnvironment, rowsOf } from '../../../../domain/settings/settings.ts'
import { readTarget } from '../../../../scripts/deploy/target.ts'
import type { Secrets } from '../../../../self-host/data/secrets.ts'

const programs: Program[] = ['worker', 'container', 'start', 'selfHost']
const namesOf = (program: Program): string[] => rowsOf(program).map(([name]) => name)

test('wrangler.toml sets no other variable than those of the list, requires the secrets of the list, and repeats no default', () => {
  const { vars, requiredSecrets } = readTarget('production', 'wrangler.toml')
  const rows = rowsOf('worker')
  const secrets = rows.flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))
  const optionalSecrets = ['ADMIN_TOKENS', 'SOURCE_PROXY_URL', 'SOURCE_PROXIES']
  expect([...requiredSecrets, ...optionalSecrets].sort()).toEqual(secrets.sort())
  for (const [name, value] of Object.entries(vars)) {
    const row = rows.find(([known]) => known === name)?.[1]
    expect(row, name).toBeDefined()
    expect([true, row?.default], name).not.toContain(row?.isSecret ?? value)
  }
})

test('the list has what a container reads, and nothing else', () => {
  const { sourceProxies: _, ...config } = readConfig({ ENGINE_TOKEN: 'x' })
  expect(namesOf('container').sort()).toEqual(Object.keys(config).sort())
})

test('the list has the secrets of the own server', () => {
  const secrets: Record<keyof Secrets, true> = {
    ...{ HAUL_SECRET: true, SEAL_KEYS: true, ADMIN_TOKEN: true, ADMIN_TOKENS: true, ENGINE_TOKEN: true },
    ...{ MEDIA_S3_ACCESS_KEY_ID: true, MEDIA_S3_SECRET_ACCESS_KEY: true },
  }
  const listed = rowsOf('selfHost').flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))
  expect(listed.sort()).toEqual(Object.keys(secrets).sort())
})

/** Variables of the system. */
const ofTheSystem = ['HOME', 'PATH', 'TMPDIR', 'LANG', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']

test.each([
  ['container', ['container/**/*.ts']],
  ['start', ['scripts/start/*.ts']],
  ['selfHost', ['self-host/**/*.ts']],
] as const)('%s reads no variable that the list does not have', (program, folders) => {
  const read = globSync([...folders]).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\benv\.([A-Z][A-Z0-9_]+)/g)].map(([, name = '']) => name),
  )
  expect(read.length).toBeGreaterThan(0)
  // NETWORK: a binding, in the script of a Worker.
  const known = [...namesOf(program), ...ofTheSystem, 'NETWORK']
  expect([...new Set(read)].filter((name) => !known.includes(name))).toEqual([])
})

test.each(programs)('%s starts without any setting, and each is explained', (program) => {
  expect(problemsIn(program, {})).toEqual([])
  for (const [name, { about, otherwise = '' }] of rowsOf(program)) {
    // A cell of a table.
    expect(about + otherwise, name).toMatch(/^[^|\n]+$/)
    expect(about, name).toMatch(/[^.]$/)
  }
})

test.each<[Program, Record<string, string>, object]>([
  ['start', {}, { PORT: 8787, ENGINE_PORT: 8788, ENGINES: 1, ENGINE_URLS: null }],
  ['start', { PORT: '0', ENGINES: '3' }, { PORT: 0, ENGINES: 3 }],
  [
    'selfHost',
    {},
    { PORT: 8787, HOST: '0.0.0.0', INTERNAL_PORT: 8789, ENGINE_HOSTS: [{ host: 'engine', port: 8788 }] },
  ],
  ['selfHost', { LEASE_MS: '' }, { LEASE_MS: 60_000, JOB_HISTORY_DAYS: 90 }],
])('%s with %o', (program, env, values) => expect(readEnvironment(program, env)).toMatchObject(values))

/** What each kind of value may be: rules.test.ts. Here, that each setting has the kind that it needs. */
test.each<[Program, string, string, string]>([
  ['start', 'PORT', 'x', 'must be a port number, or 0 for any that is free, not "x".'],
  ['start', 'ENGINES', '0', 'must be a whole number from 1 to 64, not "0".'],
  ['start', 'ENGINE_URLS', 'ftp://a', 'must be URLs like http://10.0.0.5:8788, separated by commas, not "ftp://a".'],
  ['start', 'ENGINE_NETWORK_PLACES', '0', 'must be a whole number of at least 1, not "0".'],
  ['start', 'ALLOW_PRIVATE_HOSTS', 'a', 'must be hosts with ports like 10.0.0.5:9000, separated by commas, not "a".'],
  ['start', 'SANDBOX', 'none', 'must be strict or weak, not "none".'],
  ['start', 'LEASE_MS', '1m', 'must be a whole number from 1000 to 86400000, not "1m".'],
  ['start', 'PROVIDER_B', 'whisper-at-home', 'must be openai, deepgram or assemblyai, not "whisper-at-home".'],
  ['start', 'OPENAI_BASE_URL', 'localhost', 'must be a URL like https://api.openai.com/v1, not "localhost".'],
  ['start', 'BUILTIN_SPEECH', 'workers-ai', 'must be container, not "workers-ai".'],
  ['start', 'HAUL_SPEECH', 'no', 'must be on or off, not "no".'],
  ['start', 'SOURCE_PROXY_URL', 'ftp://u:hunter2@p', 'must begin with http://, https:// or socks5://.'],
  ['selfHost', 'PORT', '0', 'must be a port number, not "0".'],
  ['selfHost', 'INTERNAL_PORT', '70000', 'must be a port number, not "70000".'],
  ['selfHost', 'INTERNAL_URL', 'haul:8789', 'must be a URL like http://haul:8789, not "haul:8789".'],
  ['selfHost', 'ENGINE_HOSTS', 'a:1,b', 'must be hosts with ports like engine:8788, separated by commas, not "b".'],
  ['selfHost', 'MCP_WAIT_MS', '0', 'must be a whole number from 1 to 86400000, not "0".'],
  ['selfHost', 'JOB_LOG_SAMPLE', '50%', 'must be a number from 0 to 1, not "50%".'],
  ['selfHost', 'SEAL_KEYS', 'hunter2', 'must be id:base64 entries of 32 bytes each, separated by commas'],
  ['selfHost', 'RETENTION_DAYS', '0', 'must be a whole number from 1 to 365, not "0".'],
])('%s refuses %s=%s', (program, name, value, sentence) => {
  expect(problemsIn(program, { [name]: value })).toEqual([`${name} ${sentence}`])
})

test.each<[Program, string, string, RegExp]>([
  [
    'start',
    'ADMIN_TOKENS',
    'hunter2',
    /^ADMIN_TOKENS: entry 1 must be name:token, with a name of at most 15 characters of a-z, 0-9 and -$/,
  ],
  ['start', 'SOURCE_PROXIES', 'hunter2', /^SOURCE_PROXIES: entry 1 must be host=url or host=direct\.$/],
  [
    'start',
    'POT_PROVIDER_URL',
    'http://u:hunter2@tokens.example',
    /like http:\/\/127\.0\.0\.1:4416, without a password or a query, not "http:\/\/…@tokens\.example"\.$/,
  ],
  ['selfHost', 'PRICES', '{"captions":-1}', /^PRICES must be free, or JSON .*, not "captions: -1"\.$/],
])('%s says what is wrong in %s=%s', (program, name, value, sentence) => {
  expect(problemsIn(program, { [name]: value })).toEqual([expect.stringMatching(sentence)])
})

test('the Worker takes Workers AI, and everything that is wrong is named', () => {
  expect(readEnvironment('worker', { BUILTIN_SPEECH: 'workers-ai' }).BUILTIN_SPEECH).toBe('workers-ai')
  const wrong = { FLEETS: '0', MAX_ENGINES: 'all' }
  expect(() => readEnvironment('worker', wrong)).toThrow(
    'MAX_ENGINES must be a whole number of at least 1, not "all".\nFLEETS must be',
  )
})

test('no value of a secret is in a message', () => {
  const secrets = programs.flatMap((program) => rowsOf(program).filter(([, { isSecret }]) => isSecret))
  const env = Object.fromEntries(secrets.map(([name]) => [name, 'hunter2']))
  for (const program of programs) expect(problemsIn(program, env).join()).not.toContain('hunter2')
})

test('npm start passes on to the Worker and to containers what they take, and secrets not as arguments', () => {
  const env = {
    LEASE_MS: '5000',
    CALLBACK_URL: '',
    STT_THREADS: '2',
    SOURCE_PROXIES: 'a.example=direct',
    HOME: '/root',
  }
  expect(passedOn('start', 'worker', env)).toEqual({ LEASE_MS: '5000' })
  expect(passedOn('start', 'container', env)).toMatchObject({ STT_THREADS: '2', SOURCE_PROXIES: 'a.example=direct' })
  const secrets = Object.fromEntries(rowsOf('start').flatMap(([name, { isSecret }]) => (isSecret ? [[name, 'x']] : [])))
  expect(passedOn('start', 'worker', secrets)).toEqual({})
})

test('the Worker gives its containers what is set for both, and its own share of logged jobs', () => {
  const env = { SANDBOX: 'weak', ENGINE_TOKEN: 'token', LEASE_MS: '5000' }
  expect(passedOn('worker', 'container', env)).toEqual({
    SANDBOX: 'weak',
    ENGINE_TOKEN: 'token',
    JOB_LOG_SAMPLE: '0.1',
  })
})
