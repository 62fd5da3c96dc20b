import { expect } from 'vitest'
import { openai } from '../clients.ts'
import { spoken, testEach, workspace } from '../workspace.ts'

/** Unmodified packages for OpenAI's transcription API, with Haul's address and a key. */
const { outputOf } = workspace()

testEach(openai, 'transcribes a file', async (client) => expect(await outputOf(client)).toMatch(spoken))
