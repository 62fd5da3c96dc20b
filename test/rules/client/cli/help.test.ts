import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../../../client/cli/program.ts'

const program = createProgram()

const withCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withCommands)]

test.each(withCommands(program).map((command) => [command.name(), command] as const))(
  'the help of %s fits a screen and has an example',
  (_, command) => {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 }).outputHelp()
    const lines = help.split('\n')
    expect(help).toMatch(/^Examples?:\n {2}haul \S/m)
    expect(lines.length).toBeLessThanOrEqual(35)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  },
)
