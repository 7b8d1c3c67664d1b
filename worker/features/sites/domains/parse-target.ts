import { isObjectId } from '../../../../protocol/object-id.ts'
import { invalidField } from '../../../platform/http/errors.ts'
import type { DomainTarget } from '../sql/domains.ts'

/** What a domain is to show: `site` or `item`, one of them. @throws {AppError} 400. */
export function parseTarget({ site, item }: Record<string, unknown>): DomainTarget {
  if (site !== undefined && item !== undefined) throw invalidField('item', 'must be left out where there is a site.')
  if (site !== undefined) return { kind: 'site', id: parseId('site', site) }
  return { kind: 'item', id: parseId('item', item) }
}

function parseId(field: string, value: unknown): string {
  if (isObjectId(value)) return value
  throw invalidField(field, 'must be an object id, 24 lowercase hex digits.')
}
