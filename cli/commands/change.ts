import { openAccount } from '../account/open-account.ts'
import { checkMediaType } from '../content/media-type.ts'
import { itemJson } from '../items/item-json.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { checkIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const [id = ''] = checkIds(line.words)
  const name = line.value('name')
  const type = line.value('mimetype')
  if (name === undefined && type === undefined)
    throw usageError('There is nothing to change.', 'Give --name or --mimetype.')
  const change = {
    ...(name !== undefined && { name }),
    ...(type !== undefined && { mimetype: checkMediaType(type) }),
  }
  const { client } = await openAccount(context)
  const item = await client.items.update(id, change, { signal })
  return { result: itemJson(item), text: [`${item.id}  ${item.name}  ${item.mimetype}`] }
}
