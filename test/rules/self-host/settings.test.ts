import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { checkManifest } from '../../../self-host/backup/archive.ts'
import { reachableNetworks, readSettings, workerVariables } from '../../../self-host/settings.ts'

test('without settings, it is what compose.yaml runs', () => {
  expect(readSettings({})).toMatchObject({
    dataDir: '/data',
    port: 8787,
    internalUrl: new URL('http://haul:8789'),
    engines: [{ host: 'engine', port: 8788 }],
    engineTokenFile: null,
  })
})

test('a wrong value stops the program before it has written anything', async () => {
  const DATA_DIR = join(tmpdir(), `haul-never-${process.pid}`)
  const env = { PATH: process.env.PATH, DATA_DIR, JOB_HISTORY_DAYS: 'all' }
  const program = promisify(execFile)(process.execPath, ['self-host/main.ts'], { env })
  const stderr = 'JOB_HISTORY_DAYS must be a whole number of at least 1, not "all".\n'
  await expect(program).rejects.toMatchObject({ code: 1, stdout: '', stderr })
  expect(existsSync(DATA_DIR)).toBe(false)
})

const secrets = {
  HAUL_SECRET: 'made',
  SEAL_KEYS: 'k1:made',
  ADMIN_TOKEN: 'made',
  ADMIN_TOKENS: '',
  ENGINE_TOKEN: 'made',
  MEDIA_S3_ACCESS_KEY_ID: 'made',
  MEDIA_S3_SECRET_ACCESS_KEY: 'made',
}

test('the environment sets variables of wrangler.toml and secrets, and nothing else reaches the Worker', () => {
  const variables = workerVariables({
    defaults: { LEASE_MS: '60000', PROVIDER_A: 'openai', ENGINE_URLS: '' },
    env: {
      LEASE_MS: '5000',
      // The server's own defaults.
      ...{ PRICES: 'free', JOB_LOG_SAMPLE: '1', MAX_BODY_BYTES: '2000000000' },
      ADMIN_TOKEN: 'given',
      ADMIN_TOKENS: 'ada:given',
      ENGINE_URLS: 'http://elsewhere',
      AWS_SECRET_ACCESS_KEY: 'x',
    },
    secrets,
    internalUrl: new URL('http://haul:8789'),
    engineUrls: ['http://127.83.0.1:1', 'http://127.83.0.1:2'],
  })
  expect(variables).toEqual({
    ...secrets,
    // The server's own defaults.
    ...{ PRICES: 'free', JOB_LOG_SAMPLE: '1', MAX_BODY_BYTES: '2000000000' },
    LEASE_MS: '5000',
    PROVIDER_A: 'openai',
    ADMIN_TOKEN: 'given',
    ADMIN_TOKENS: 'ada:given',
    ENGINE_URLS: 'http://127.83.0.1:1,http://127.83.0.1:2',
    CALLBACK_URL: 'http://haul:8789',
    MEDIA_S3_ENDPOINT: 'http://haul:8789/cdn-cgi/local/r2/s3/haul-media',
    UPLOADS_PATH: '/cdn-cgi/local/r2/s3/haul-media',
  })
})

test.each([
  ['', ['public', '127.83.0.1/32']],
  ['10.0.0.5:9000', ['public', '127.83.0.1/32', '10.0.0.5/32']],
  ['[fd00::1]:443', ['public', '127.83.0.1/32', 'fd00::1/128']],
  ['minio:9000, files.lan:80', ['public', '127.83.0.1/32', 'private']],
])('with ALLOW_PRIVATE_HOSTS=%s the Worker may connect to %j', (allowed, networks) => {
  expect(reachableNetworks('127.83.0.1', allowed)).toEqual(networks)
})

const manifest = { format: 1, createdAt: '2026-11-22T00:00:00.000Z', migrations: ['0001.sql'], files: { a: null } }

test.each([
  ['text that is no manifest', 'x', 'This is no backup of Haul.'],
  ['another file', '{}', 'This is no backup of Haul.'],
  ['a later format', JSON.stringify({ ...manifest, format: 2 }), 'made by a newer version'],
  [
    'later migrations',
    JSON.stringify({ ...manifest, migrations: ['0001.sql', '0002.sql'] }),
    'made by a newer version',
  ],
])('%s is refused as a backup', (_, text, sentence) => {
  expect(() => checkManifest(text, ['0001.sql'])).toThrow(sentence)
})

test('a backup of an older database is accepted, because the start brings it up to date', () => {
  expect(checkManifest(JSON.stringify(manifest), ['0001.sql', '0002.sql'])).toEqual(manifest)
})
