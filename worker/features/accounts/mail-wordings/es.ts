import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import type { OrderWordings, Wordings } from './wording.ts'

const HOURS = `${LIFETIMES.mailLink / 3600} horas`
const ALARM =
  'Si no ha sido usted, solicite de inmediato una contraseña nueva por correo: eso termina todas las sesiones, llaves de acceso y claves de API.'

/** What happened to a key or a passkey. */
const DONE: Readonly<Record<string, string>> = { added: 'añadido', removed: 'eliminado' }

/** The mails in Spanish. */
export const wordings: Wordings = {
  verify: (service) => ({
    subject: 'Confirme su dirección de correo',
    before: [
      `Alguien, esperamos que usted, se ha registrado en ${service} con esta dirección.`,
      `Para confirmarla, abra este enlace en un plazo de ${HOURS} y escriba la contraseña que eligió:`,
    ],
    after: ['Si no ha sido usted, ignore este correo: sin esa contraseña no pasa nada.'],
  }),
  reset: (service) => ({
    subject: 'Elija una contraseña nueva',
    before: [
      `Alguien, esperamos que usted, ha solicitado una contraseña nueva en ${service}.`,
      `Para elegirla, abra este enlace en un plazo de ${HOURS}. Termina todas sus sesiones:`,
    ],
    after: ['Si no ha sido usted, ignore este correo: su contraseña sigue igual.'],
  }),
  email: (service) => ({
    subject: 'Confirme su nueva dirección de correo',
    before: [
      `Alguien, esperamos que usted, quiere esta dirección para una cuenta en ${service}.`,
      `Para cambiarla, abra este enlace en un plazo de ${HOURS} y escriba la contraseña de la cuenta:`,
    ],
    after: ['Si no ha sido usted, ignore este correo: sin esa contraseña no pasa nada.'],
  }),
  taken: (service) => ({
    subject: 'Esta dirección tiene una cuenta',
    before: [
      `Alguien, esperamos que usted, quería esta dirección para otra cuenta en ${service}. Allí ya tiene una cuenta, abierta o cerrada.`,
      'No se ha cambiado nada. Una dirección puede tener una cuenta.',
    ],
  }),
  moving: (service, about) => ({
    subject: 'Se ha solicitado una nueva dirección de correo',
    before: [
      `Alguien, esperamos que usted, ha solicitado ${about} en lugar de esta dirección para su cuenta en ${service}. Se cambia cuando se abre un enlace enviado allí y se escribe la contraseña.`,
      'Si no ha sido usted, alguien tiene su contraseña: solicite de inmediato una nueva por correo. Eso termina todas las sesiones y anula el enlace.',
    ],
  }),
  moved: (service, about) => ({
    subject: 'Su dirección de correo se ha cambiado',
    before: [
      `Su cuenta en ${service} tiene desde ahora la dirección ${about} en lugar de esta.`,
      `Si no ha sido usted, escriba de inmediato al operador de ${service}.`,
    ],
  }),
  known: (service) => ({
    subject: 'Usted ya tiene una cuenta',
    before: [
      `Alguien, esperamos que usted, se ha registrado en ${service} con esta dirección, que ya tiene una cuenta.`,
      'Inicie sesión con su contraseña, o solicite una nueva si la ha olvidado. No se ha cambiado nada.',
    ],
  }),
  closed: (service) => ({
    subject: 'Su cuenta está cerrada',
    before: [
      `Alguien, esperamos que usted, se ha registrado en ${service} con esta dirección. Su cuenta allí se cerró.`,
      'Una cuenta cerrada sigue cerrada; para usar el servicio otra vez, regístrese con otra dirección.',
    ],
  }),
  webhook: (service, about) => ({
    subject: 'Se ha añadido un webhook a su cuenta',
    before: [
      `Desde ahora ${about} recibe los pagos y objetos de su cuenta en ${service}.`,
      'Si no ha sido usted, solicite de inmediato una contraseña nueva por correo: eso pone en pausa todos los webhooks y termina todas las sesiones y claves de API.',
    ],
  }),
  order: (service, about) => {
    const [subject = '', ...lines] = about.split('\n')
    const wanted = `Recibe este correo porque su cuenta en ${service} así lo quiere. Puede cambiarlo en la cuenta.`
    return { subject, before: [...lines, wanted] }
  },
  password: (service) => ({
    subject: 'Su contraseña se ha cambiado',
    before: [
      `La contraseña de su cuenta en ${service} se acaba de cambiar. Todas las demás sesiones se han terminado.`,
      ALARM,
    ],
  }),
  key: (service, about) => ({
    subject: `Se ha ${DONE[about] ?? about} una clave de API`,
    before: [`En su cuenta en ${service} se ha ${DONE[about] ?? about} ahora mismo una clave de API.`, ALARM],
  }),
  passkey: (service, about) => ({
    subject: `Se ha ${DONE[about] ?? about} una llave de acceso`,
    before: [`En su cuenta en ${service} se ha ${DONE[about] ?? about} ahora mismo una llave de acceso.`, ALARM],
  }),
  reused: (service) => ({
    subject: 'Se ha terminado una sesión suya',
    before: [
      `Un token de renovación de una sesión de su cuenta en ${service} se usó después de que otro lo reemplazara. Puede significar que alguien tiene una copia; por eso se ha terminado la sesión. Inicie sesión otra vez.`,
      'Si no sabe por qué ha ocurrido, inicie sesión, cambie su contraseña y mire la lista de sus sesiones.',
    ],
  }),
}

export const orders: OrderWordings = {
  andMore: (name, more) => `${name} y ${more} más`,
  withdrawn: (amount, address, txid) => ({
    title: 'Su retiro se ha enviado',
    text: `${amount} salieron hacia ${address}.\nTransacción: ${txid}`,
  }),
  paid: (what, amount) => ({ title: 'Su pedido está pagado', text: `${what}: ${amount} pagados. Ahora se escribe.` }),
  stored: (what) => ({ title: 'Su pedido está guardado', text: `${what}: todo está guardado.` }),
  stopped: (name, why) => ({
    title: 'Su pedido se ha detenido',
    text: `${name} no se sigue escribiendo. ${why}`.trim(),
  }),
  digest: 'Sus pedidos del último día',
  digestMore: (more) => `Y ${more} más.`,
}
