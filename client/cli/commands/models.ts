import type { Command } from 'commander'
import type { Model } from '../../src/index.ts'
import { type OutputOptions, openSession } from '../session.ts'
import { printLine } from '../terminal/output.ts'
import { priceText } from '../terminal/quantities.ts'
import { tableLines } from '../terminal/table.ts'

export const addModels = (program: Command): Command =>
  program
    .command('models')
    .summary('list the models of the built-in engine')
    .description(
      'Lists the models of the built-in engine, for --model: their languages, what else each can do, the price of a minute of speech, and how many times faster than real time each has been there.',
    )
    .addHelpText('after', '\nExample:\n  haul models --json')
    .action(listModels)

const listModels = async (options: OutputOptions): Promise<void> => {
  const { haul, signal, print, tableColumns } = await openSession(options)
  const models = await haul.models({ signal })
  await print({ models }, () => printLine(modelLines(models, tableColumns).join('\n')))
}

export const modelLines = (models: readonly Model[], maxColumns?: number): string[] =>
  tableLines(
    [
      { title: 'Name' },
      { title: 'Default' },
      { title: 'Languages', isFlexible: true },
      { title: 'Can', isFlexible: true },
      { title: 'A minute', align: 'right' },
      { title: 'Speed', align: 'right' },
    ],
    models.map((model) => [
      model.name,
      model.isDefault ? 'yes' : '',
      typeof model.languages === 'string' ? model.languages : model.languages.join(', '),
      abilities.filter((ability) => model[ability]).join(', '),
      priceText(model.pricePerMinute),
      // It has heard nothing yet.
      model.speed === null ? '' : `${model.speed}×`,
    ]),
    maxColumns,
  )

const abilities = ['words', 'speakers', 'vocabulary', 'translation'] as const
