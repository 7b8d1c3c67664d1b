import { isSiteAddress } from '../../protocol/site-address.ts'
import { texts } from '../texts/index.ts'
import { Field } from './field.tsx'

/** Whether what somebody typed can be an address of a site, or is empty. */
export const mayBeAddress = (typed: string): boolean => typed === '' || isSiteAddress(typed)

/** A field for the readable address of a site; what is typed is taken in lower case. */
export function AddressField(props: { label: string; help: string; value: string; onValue(value: string): void }) {
  const { label, help, value, onValue } = props
  return (
    <Field
      label={label}
      help={help}
      value={value}
      onValue={(text) => onValue(text.trim().toLowerCase())}
      fault={mayBeAddress(value) ? undefined : texts.addresses.form}
    />
  )
}
