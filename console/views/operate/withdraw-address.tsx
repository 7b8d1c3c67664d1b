import { useState } from 'preact/hooks'
import { isSiteAddress } from '../../../protocol/site-address.ts'
import { api } from '../../api/client.ts'
import { AddressField } from '../../parts/address-field.tsx'
import { texts } from '../../texts/index.ts'
import { operateTexts } from '../../texts/operate.ts'
import { WithReason } from './with-reason.tsx'

/** Asks which readable address of a site is withdrawn, and why. `address`: the one that is proposed. */
export function WithdrawAddress(props: { address?: string | undefined; onClose(): void; onDone?(): void }) {
  const [address, setAddress] = useState(props.address ?? '')
  return (
    <WithReason
      title={operateTexts.withdrawAddress}
      act={operateTexts.withdrawDo}
      danger
      disabled={!isSiteAddress(address)}
      onClose={props.onClose}
      onAct={async (reason) => {
        await api.POST('/v0/address/{address}/withdraw', { params: { path: { address } }, body: { reason } })
        props.onDone?.()
      }}
    >
      <p>{operateTexts.withdrawText}</p>
      <AddressField
        label={texts.addresses.label}
        help={operateTexts.addressHelp}
        value={address}
        onValue={setAddress}
      />
    </WithReason>
  )
}
