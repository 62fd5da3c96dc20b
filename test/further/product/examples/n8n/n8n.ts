import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { choosePort } from '../../../../../scripts/start/ports.ts'
import { freePort } from '../../../../support/loopback.ts'
import { type Product, SPEECH_TIMEOUT_MS, spokenWords } from '../product.ts'
import { runWorkflow } from './run-workflow.ts'
import { readWorkflow, workflowText } from './workflow.ts'

/** A folder with n8n in its node_modules. It has 3 GB and takes minutes to install, so the test runs only with it. */
const { HAUL_N8N } = process.env
/** n8n creates its database, starts twice, and runs two jobs, which takes minutes on a busy machine. */
const N8N_TIMEOUT_MS = 600_000

export const testN8n = (product: Product): void => {
  const options = (mediaUrl: string) => ({
    settings: { haulUrl: product.haul.baseUrl, mediaUrl },
    apiKey: product.haul.apiKey,
  })

  test('the workflow has only nodes, parameters and connections that n8n has, and no key', () => {
    const { nodes, connections } = readWorkflow()
    const names = new Set(nodes.map(({ name }) => name))
    const mentioned = [
      ...Object.keys(connections),
      ...Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node)),
      ...workflowText.matchAll(/\$\('([^']+)'\)/g).map(([, name]) => name ?? ''),
    ]
    expect(names.size).toBe(nodes.length)
    expect(mentioned.filter((name) => !names.has(name))).toEqual([])
    expect(workflowText).not.toMatch(/haul_|Bearer/)
  })

  test('its requests return the subtitles of a recording', { timeout: SPEECH_TIMEOUT_MS }, async () => {
    const { path, output } = await runWorkflow(readWorkflow(), options(product.media('speech.m4a')))
    expect(path.slice(0, 4)).toEqual(['Start', 'Settings', 'Start transcription', 'Wait for the end'])
    expect(path.slice(-3)).toEqual(['Still queued?', 'Completed?', 'Get subtitles'])
    expect(`${output}`).toMatch(/00:00:00,\d{3} --> /)
    expect(`${output}`.replaceAll(/\s+/g, ' ')).toMatch(spokenWords)
  })

  test('its failure branch reports the code of a recording without speech', {
    timeout: SPEECH_TIMEOUT_MS,
  }, async () => {
    const { path, output } = await runWorkflow(readWorkflow(), options(product.media('silence.m4a')))
    expect(path.at(-1)).toBe('Report the failure')
    expect(output).toMatch(/^NO_SPEECH: \w+/)
  })

  test.runIf(HAUL_N8N)(
    'n8n itself runs the workflow that the example imports',
    { timeout: N8N_TIMEOUT_MS },
    async () => {
      const env = {
        N8N: join(HAUL_N8N ?? '', 'node_modules/.bin/n8n'),
        N8N_USER_FOLDER: join(product.folder, 'n8n'),
        N8N_RUNNERS_BROKER_PORT: `${await choosePort(0, 'N8N_RUNNERS_BROKER_PORT')}`,
        N8N_DIAGNOSTICS_ENABLED: 'false',
        PORT: `${await freePort()}`,
      }
      const run = async (file: string) => {
        const command = product.runExample(['n8n', product.media(file)], env)
        await command.printed('Editor is now accessible')
        command.kill('SIGTERM')
        await command.exited
        return promisify(execFile)(env.N8N, ['execute', '--id=haulTranscribe'], {
          env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
          maxBuffer: 64 * 1024 * 1024,
        })
      }
      const { stdout } = await run('speech.m4a')
      const [id] = /(?<="filesystem-v2:)[^"]+/.exec(stdout) ?? []
      expect(await readFile(join(env.N8N_USER_FOLDER, '.n8n/storage', `${id}`), 'utf8')).toMatch(/00:00:00,\d{3} --> /)
      await expect(run('silence.m4a')).rejects.toMatchObject({ stdout: expect.stringContaining('NO_SPEECH') })
    },
  )
}
