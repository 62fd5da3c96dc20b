import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { readConfig } from '../../container/config.ts'
import { scratch } from './audio/recordings.ts'

const fileWith = async (token: string): Promise<string> => {
  const folder = scratch()
  await writeFile(join(folder, 'token'), token)
  return join(folder, 'token')
}

test('the token may be in a file, which the one of the environment precedes', async () => {
  const ENGINE_TOKEN_FILE = await fileWith('in-the-file\n')
  expect(readConfig({ ENGINE_TOKEN_FILE }).ENGINE_TOKEN).toBe('in-the-file')
  expect(readConfig({ ENGINE_TOKEN_FILE, ENGINE_TOKEN: 'given' }).ENGINE_TOKEN).toBe('given')
})

test('a wrong value stops the container, and the error names what is wrong', () => {
  const env = { ENGINE_TOKEN: 'x', PORT: 'x', SANDBOX: 'off' }
  expect(() => readConfig(env)).toThrow(/^PORT must be .*, not "x"\.\nSANDBOX must be strict or weak, not "off"\.$/)
})

test('without a token the container does not start, and the error names the variables', async () => {
  for (const env of [{}, { ENGINE_TOKEN_FILE: '/nowhere/token' }, { ENGINE_TOKEN_FILE: await fileWith('') }])
    expect(() => readConfig(env)).toThrow('ENGINE_TOKEN must be set, or ENGINE_TOKEN_FILE to a file that has it.')
})

test('an invalid proxy stops the container, and the error says which entry is wrong without its password', () => {
  const env = { ENGINE_TOKEN: 'x', SOURCE_PROXIES: 'a.example=ftp://user:hunter2@proxy.example' }
  const error = catching(() => readConfig(env))
  expect(error.message).toContain('SOURCE_PROXIES: entry 1 must begin with http://, https:// or socks5://.')
  // As Node prints it.
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('hunter2')
})

const catching = (work: () => unknown): Error => {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
