import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { internet } from './test/worker/internet.ts'

const workerBindings = {
  PUBLIC_URL: 'https://haul.test',
  ENGINE_URL: 'http://127.0.0.1:1',
  ENGINE_TOKEN: 'engine-token',
  HAUL_SECRET: 'a secret of the tests',
  SEAL_KEYS: 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  ADMIN_TOKEN: 'admin-token',
  MEDIA_S3_ENDPOINT: 'https://s3.test/haul-media',
  MEDIA_S3_ACCESS_KEY_ID: 'test',
  MEDIA_S3_SECRET_ACCESS_KEY: 'test',
}

const chance = 'test/chance.setup.ts'

/** Whatever comes by itself is waited for, and a busy machine needs ten times what a quiet one does. */
const patience = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000, interval: 20 } },
}

/** One project for each thing a test may need: nothing, the Workers runtime, the container's tools, everything. */
export default defineConfig({
  test: {
    // Most tests wait for others more than they compute: one more than the two cores of the smallest machine.
    maxWorkers: 3,
    projects: [
      { test: { ...patience, name: 'rules', include: ['test/domain/**/*.test.ts'], setupFiles: [chance] } },
      {
        plugins: [
          // Not wrangler.toml: its queue consumers would take the steps that the tests claim themselves.
          cloudflareTest(async () => ({
            main: './worker/index.ts',
            miniflare: {
              compatibilityDate: '2026-10-01',
              compatibilityFlags: ['global_fetch_strictly_public'],
              durableObjects: {
                ACCOUNTS: { className: 'AccountObject', useSQLite: true },
                ENGINES: { className: 'EngineObject', useSQLite: true },
              },
              d1Databases: ['DB'],
              r2Buckets: ['MEDIA'],
              queueProducers: { STEPS: 'haul-steps', WORK: 'haul-work', WEBHOOKS: 'haul-webhooks' },
              outboundService: { node: internet },
              bindings: { ...workerBindings, TEST_MIGRATIONS: await readD1Migrations('./migrations') },
            },
          })),
        ],
        test: {
          ...patience,
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          setupFiles: [chance, 'test/worker/migrations.setup.ts'],
        },
      },
      {
        test: {
          ...patience,
          name: 'container',
          include: ['test/container/**/*.test.ts'],
          setupFiles: [chance],
          globalSetup: ['test/origin/media.setup.ts'],
        },
      },
      {
        test: {
          ...patience,
          name: 'product',
          include: ['test/product/**/*.test.ts'],
          globalSetup: ['test/origin/media.setup.ts'],
        },
      },
    ],
  },
})
