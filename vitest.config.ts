import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type ProjectConfig, type TestSpecification } from 'vitest/node'
import { createInternet } from './test/doubles/internet/internet.ts'

const workerBindings = {
  PUBLIC_URL: 'https://haul.test',
  ENGINE_URLS: [1, 2, 3, 4, 5, 6, 7, 8].map((port) => `http://127.0.0.1:${port}`).join(),
  FLEETS: '4',
  ENGINE_TOKEN: 'engine-token',
  JOB_LOG_SAMPLE: '1',
  HAUL_SECRET: 'a-secret-for-tests',
  SEAL_KEYS: 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  ADMIN_TOKEN: 'admin-token',
  MEDIA_S3_ENDPOINT: 'https://s3.test/haul-media',
  MEDIA_S3_ACCESS_KEY_ID: 'test',
  MEDIA_S3_SECRET_ACCESS_KEY: 'test',
}

/** A fixed seed for fast-check, so that a counterexample appears when the code changes and not at random. */
const fixedSeed = 'test/support/fixed-seed.setup.ts'

/** More random cases than usual (test/support/runs.ts), which may take hours. */
const isLong = Boolean(process.env.HAUL_TEST_LONG || process.env.FUZZ_RUNS)

/** Thirty times what tests need on two quiet cores. A test that needs more sets its own timeout and says why. */
const timeouts = {
  testTimeout: isLong ? 86_400_000 : 90_000,
  hookTimeout: 90_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
}

/**
 * Files share workers: starting workerd, or loading the product's modules, takes two seconds. So tests end what they
 * start.
 */
const testsOf = (options: ProjectConfig): ProjectConfig => ({
  ...timeouts,
  isolate: false,
  setupFiles: [fixedSeed],
  ...options,
})

/** Those that need the S3 server. They are left out, and `npm test` says so, when it cannot be downloaded. */
const s3Tests = [
  'test/bucket/{access-check,s3/bucket,s3/copy,s3/copy-files}.test.ts',
  'test/further/container/bucket/*.test.ts',
  'test/walk/bucket.test.ts',
  'test/further/product/{delivery,one-job,watches}.test.ts',
  'test/further/product/guides/guides.test.ts',
]
const withoutS3 = process.env.HAUL_TEST_WITHOUT_S3 ? s3Tests : []
const workerdTests = 'test/{simulation,worker,further/worker}/**/*.workerd.test.ts'
/** Tests of what the children of a process can do. They look at their own process, so each file has one. */
const sandboxTests = 'test/container/sandbox/**/*.test.ts'
/** Tests with programs of others, which `npm run test:clients` installs. */
const clientTests = 'test/clients/{openai,mcp,webhooks,files,pages,programs}/*.test.ts'

/** These files take minutes, and the run takes longer if they start last. */
const isSlow = ({ moduleId }: TestSpecification): boolean =>
  /\/test\/(walk|container\/(speech|steps)\/recogniz|further\/(product|rules\/(simulation|scripts\/deploy)))/.test(
    moduleId,
  )

/** These wait more than a minute for the platform. They do not start together, so that others keep the cores busy. */
const isWaiting = ({ moduleId }: TestSpecification): boolean =>
  /\/further\/product\/(alerts|events|watches)\./.test(moduleId)
/** While one of them waits, the other workers run about this many files. */
const FILES_BETWEEN = 6

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const slow = sorted.filter((file) => isSlow(file) && !isWaiting(file))
    for (const [index, file] of sorted.filter(isWaiting).entries()) slow.splice(index * (FILES_BETWEEN + 1), 0, file)
    return [...slow, ...sorted.filter((file) => !isSlow(file))]
  }
}

/**
 * One project for each environment: plain Node (rules), the Workers runtime (worker), Node with ffmpeg, yt-dlp, media
 * files and an S3 server (container; sandbox, with a process for each file), the whole product (product), and a process
 * for each parser (fuzz).
 */
export default defineConfig({
  test: {
    // Tests wait more than they compute, so one worker more than the cores of the smallest machine.
    maxWorkers: 3,
    // What a failed test has logged is printed. `--silent=false` also prints what passing tests log, such as counts.
    silent: 'passed-only',
    // Tests create accounts and end jobs, and each of these is an event of the log.
    onConsoleLog: (text) => !text.startsWith('{"event":'),
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      {
        test: testsOf({
          name: 'rules',
          include: ['test/{rules,simulation,further/rules}/**/*.test.ts'],
          exclude: [workerdTests],
        }),
      },
      {
        plugins: [
          // Not wrangler.toml, because its queue consumers would claim the steps that the tests claim.
          // Called once for each runtime.
          cloudflareTest(async () => ({
            main: './worker/index.ts',
            // workerd's own log has a stack trace for each connection that a test closes.
            verbose: false,
            miniflare: {
              compatibilityDate: '2026-10-01',
              compatibilityFlags: ['global_fetch_strictly_public'],
              modulesRules: [{ type: 'Text', include: ['**/*.md'] }],
              durableObjects: {
                ACCOUNTS: { className: 'AccountObject', useSQLite: true },
                ENGINES: { className: 'EngineObject', useSQLite: true },
                FLEET_OBJECTS: { className: 'FleetObject', useSQLite: true },
                METRICS: { className: 'MetricsObject', useSQLite: true },
                WORDS: { className: 'WordsObject', useSQLite: true },
                WORK_OBJECTS: { className: 'WorkObject', useSQLite: true },
              },
              d1Databases: ['DB'],
              r2Buckets: ['MEDIA'],
              queueProducers: { STEPS: 'haul-steps', WEBHOOKS: 'haul-webhooks' },
              ratelimits: { REFUSED_OPERATORS: { namespace_id: '1', simple: { limit: 20, period: 60 } } },
              outboundService: { node: createInternet() },
              bindings: {
                ...workerBindings,
                // Tests in workerd do not see the environment.
                HAUL_TEST_LONG: process.env.HAUL_TEST_LONG ?? '',
                TEST_MIGRATIONS: await readD1Migrations('./migrations'),
              },
            },
          })),
        ],
        test: testsOf({
          name: 'worker',
          // Files share workerd, D1 and R2, so each test uses its own account.
          include: [workerdTests],
          setupFiles: [
            fixedSeed,
            'test/worker/support/runtime.setup.ts',
            'test/worker/support/migrations.setup.ts',
            'test/worker/support/timeouts.setup.ts',
          ],
          // A test takes a second of the processor at most. Beside others that is much longer, and only a hang is an error.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        }),
      },
      {
        test: testsOf({
          name: 'container',
          // Files run at the same time, and several recognizers with a thread for each core slow each other down.
          env: { STT_THREADS: '1' },
          include: ['test/{container,bucket,further/container}/**/*.test.ts'],
          exclude: [sandboxTests, ...withoutS3],
          globalSetup: ['test/support/media.setup.ts'],
        }),
      },
      {
        test: testsOf({
          name: 'sandbox',
          isolate: true,
          include: [sandboxTests],
        }),
      },
      {
        test: testsOf({
          name: 'product',
          // Most polls are requests to the product or to a page.
          expect: { poll: { ...timeouts.expect.poll, interval: 50 } },
          include: ['test/{walk,further/product,clients/openapi,clients/programs}/**/*.test.ts'],
          exclude: withoutS3,
          globalSetup: ['test/support/media.setup.ts', 'test/support/product/product.setup.ts'],
          setupFiles: ['test/support/product/ports.setup.ts'],
        }),
      },
      ...(process.env.HAUL_CLIENTS
        ? [
            {
              test: testsOf({
                name: 'clients',
                include: [clientTests],
                globalSetup: ['test/support/media.setup.ts', 'test/support/product/product.setup.ts'],
                setupFiles: ['test/support/product/ports.setup.ts'],
              }),
            },
          ]
        : []),
      {
        test: testsOf({
          name: 'fuzz',
          // V8 counts blocks only in functions that it has not compiled before.
          isolate: true,
          // It misses blocks of optimized functions, and when it optimizes a function depends on the machine.
          execArgv: ['--no-opt', '--no-maglev'],
          include: ['test/further/fuzz/**/*.test.ts'],
        }),
      },
    ],
  },
})
