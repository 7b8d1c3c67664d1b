import { common, content, inPath, type Operation, type Paths, readable } from './operation.ts'

const tags = ['Console'] as const

const view = (operationId: string, summary: string): Operation => ({
  tags,
  operationId,
  summary,
  responses: { ...readable(content('The page, with a policy of its own.', 'text/html')), ...common('404') },
})

export const CONSOLE_PATHS: Paths = {
  '/console': { get: view('openConsole', 'The console') },
  '/console/{path}': {
    get: {
      ...view('openView', 'A view of the console, or a file of it'),
      description: 'Files have a dot in their name and a hash that makes them immutable; everything else is a view.',
      parameters: [inPath('path', 'Of the view, or `assets/<name>.<hash>.<type>`.')],
      responses: {
        ...readable(content('The page, or the file.', 'text/html', 'text/javascript', 'text/css', 'image/svg+xml')),
        ...common('404'),
      },
    },
  },
}
