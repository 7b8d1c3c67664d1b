import type { HelpEntry } from '../help-entry.ts'

/** The help for people, in Spanish. */
export const help: readonly HelpEntry[] = [
  {
    question: '¿Qué es una cadena, y qué significa guardar un archivo en ella?',
    answer: [
      'Una cadena de bloques (blockchain) es un registro público que miles de ordenadores conservan completo: Bitcoin, Dogecoin y Nativecoin son registros así. Todos pueden leerlo, se le añaden páginas nuevas continuamente y ninguna página se cambia nunca.',
      'Un archivo guardado en una cadena queda escrito en ese registro, en una o varias transacciones. Permanece mientras alguien conserve una copia completa de la cadena.',
    ],
  },
  {
    question: '¿Qué son NTC, BTC y DOGE, y dónde los consigo?',
    answer: [
      'Son las monedas de las tres cadenas: NTC la de Nativecoin, BTC la de Bitcoin, DOGE la de Dogecoin. Escribir en una cadena cuesta una comisión en su propia moneda; por eso se paga en ella.',
      'Necesita un monedero: un programa que guarda monedas y las envía. BTC y DOGE se consiguen en una casa de cambio, que los vende por dinero corriente; desde allí se envían a su monedero. Dónde se consigue NTC se lo puede decir el operador de este servicio: vea «Contacto» al pie de la página.',
    ],
  },
  {
    question: '¿Por qué pago en Nativecoin por algo que está en IPFS?',
    answer: [
      'IPFS no es una cadena y no tiene moneda propia. El operador ha elegido en cuál se paga; el precio es por conservar y servir el archivo, y nada de él se escribe en esa cadena.',
    ],
  },
  {
    question: '¿Qué significa «profundidad»?',
    answer: [
      'Las transacciones se escriben en bloques, uno tras otro. Una transacción en el bloque más nuevo tiene un bloque de profundidad, y con cada bloque que sigue tiene uno más. Cuanto mayor es, menos probable es que la cadena la reemplace.',
      'Un pago cuenta, y un archivo se considera guardado, cuando alcanza los bloques de profundidad que exige este servicio. La página muestra cuántos faltan. Mientras tanto puede cerrarla.',
    ],
  },
  {
    question: '¿Qué conserva IPFS, y durante cuánto tiempo?',
    answer: [
      'En IPFS un archivo tiene un nombre formado a partir de sus bytes, y quien tenga una copia puede servirlo con ese nombre. Está disponible mientras este servicio, u otra persona, conserve una copia. No está escrito para siempre, como un archivo en una cadena.',
    ],
  },
  {
    question: '¿Qué no se puede retirar nunca?',
    answer: [
      'Lo que está escrito en una cadena. Ni usted ni nosotros ni nadie puede quitarlo. No guarde allí nada que quiera hacer desaparecer algún día: ni nombres, ni direcciones, ni imágenes de personas que no estén de acuerdo.',
      'Los archivos de IPFS que alguien ha copiado siguen donde está esa copia. Lo que se ha subido y no se ha pagado se puede eliminar en cualquier momento.',
    ],
  },
  {
    question: '¿Quién puede ver lo que guardo?',
    answer: [
      'Todos. Todo lo que se guarda aquí es público, comunique o no su dirección a alguien. Si un archivo es solo para algunas personas, cífrelo antes con un programa propio.',
    ],
  },
  {
    question: '¿Cuánto cuesta, y por qué cambia el precio?',
    answer: [
      'La mayor parte de un precio es la comisión de la cadena, que depende de cuántos bytes se escriben y de cuántos otros quieren escribir al mismo tiempo. A ella se suma una parte por conservar y servir el archivo.',
      'Elija sus archivos en la página «Guardar»: indica lo que costarían ahora, y no se sube nada. El precio exacto queda fijado durante un tiempo cuando la subida está preparada. Lo ve antes de pagar.',
    ],
  },
  {
    question: 'He enviado de menos, de más o demasiado tarde. ¿He perdido el dinero?',
    answer: [
      'No. De menos: envíe el resto a la misma dirección. De más, o después de que el precio venciera: el dinero se suma a su saldo, y con él puede guardar otra cosa o retirarlo.',
      'Las monedas de una cadena distinta de la que indica la página no llegan, y no podemos recuperarlas. Compare el nombre de la cadena antes de enviar.',
    ],
  },
  {
    question: '¿Puedo recuperar mi dinero?',
    answer: [
      'Su saldo es suyo: la página «Dinero» lo envía a una dirección suya, menos la comisión de la cadena. Lo que se pagó por un archivo ya escrito no se puede devolver, porque su comisión está gastada. Si un archivo pagado no se puede escribir, su precio pasa a su saldo.',
    ],
  },
  {
    question: 'He perdido mi contraseña.',
    answer: [
      'Pulse «elija una contraseña nueva» donde inicia sesión y escriba su dirección de correo. Le enviamos un enlace a una página donde elige una nueva. Eso termina todas las demás sesiones. Con una llave de acceso inicia sesión sin contraseña.',
    ],
  },
  {
    question: '¿Qué significa «Verificado en este navegador»?',
    answer: [
      'Cada nombre en una cadena o en IPFS se calcula a partir de los bytes que nombra. Su navegador lo calcula de nuevo a partir de los bytes que ha recibido y los muestra solo si es el mismo nombre. Así no necesita fiarse de este servicio.',
    ],
  },
  {
    question: '¿Cómo demuestro a alguien que un archivo es mío, o que existía un día?',
    answer: [
      'Dele el archivo y sus nombres: los txid de sus transacciones están en la página del archivo, en «Detalles». Cualquiera puede buscarlos en cualquier copia de la cadena, ver en qué bloque están y de cuándo es, y comparar los bytes. El comando «hookline verify» hace eso y no necesita cuenta.',
      'Eso demuestra que el archivo existía entonces. No demuestra quién lo hizo.',
    ],
  },
  {
    question: '¿Qué son el id. del objeto, el id. de contenido y el índice?',
    answer: [
      'El id. del objeto es nuestro nombre del archivo, en sus direcciones aquí. El id. de contenido (CID) es su nombre en IPFS. El índice es una transacción de una cadena que nombra todas las transacciones de un archivo: quien lo conoce no necesita otro nombre.',
    ],
  },
  {
    question: 'El enlace de un archivo lo muestra mal, o solo lo descarga.',
    answer: [
      'Probablemente su tipo no es el correcto. Abra el archivo en la biblioteca: en «Detalles» puede cambiar su tipo, y no se guarda nada otra vez.',
    ],
  },
  {
    question: '¿Cómo publico un sitio web, y una versión nueva de él?',
    answer: [
      'Suelte su carpeta en la página «Guardar». Con un index.html en el nivel superior se convierte en un sitio web, que se publica como sitio nuevo o como versión nueva de un sitio que ya tiene: elíjalo en «Publicarlo». Un sitio tiene una dirección que permanece.',
      'El sitio lo muestra en cuanto está guardado. Marque «Probarlo antes» para ver una versión nueva antes que los visitantes. Cada versión anterior permanece, y se vuelve a ella con una pulsación.',
    ],
  },
  {
    question: '¿Cómo recibe mi sitio web una dirección legible o mi propio dominio?',
    answer: [
      'Una dirección legible no necesita dominio: abra el sitio, pulse «Fijar una dirección» y escriba un nombre. Antes tiene que estar pagada una versión del sitio. La dirección sigue siendo suya, también después de un cambio.',
      'Para un dominio abra el sitio, pulse «Añadir un dominio» y escriba su nombre. La página indica qué registro hay que crear donde se administra el dominio, y lo comprueba cada minuto hasta que es correcto.',
      'El nivel superior de un dominio, como example.com sin www, no admite CNAME. Use allí ALIAS o «CNAME flattening» si su proveedor lo tiene; si no, el registro TXT.',
    ],
  },
  {
    question: '¿Qué pueden hacer _headers, _redirects y 404.html?',
    answer: [
      'Este servicio lee esos archivos en el nivel superior de un sitio web. 404.html se muestra cuando algo no existe. _redirects tiene líneas de la forma «/antiguo /nuevo 301»; «/* /index.html 200» lleva todas las rutas a una página, como necesitan las aplicaciones de una sola página. _headers fija cabeceras, como Content-Security-Policy o Cache-Control, para las rutas.',
      'La página de un sitio web guardado enumera cada línea incorrecta, y el motivo.',
    ],
  },
  {
    question: 'Mi subida se interrumpió.',
    answer: [
      'Abra la página «Guardar»: su pedido está en la lista y continúa donde estaba. Si el navegador no puede leer el archivo por sí solo, elija otra vez el mismo archivo; lo que ya se ha subido no se envía dos veces.',
    ],
  },
]
