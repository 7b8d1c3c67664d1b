import type { HelpEntry } from '../help-entry.ts'

/** The help for people, in English: loaded apart from the other texts, only with its page. */
export const help: readonly HelpEntry[] = [
  {
    question: 'What is a chain, and what does it mean to store a file on one?',
    answer: [
      'A chain is a public record that thousands of computers keep in full: Bitcoin, Dogecoin and Nativecoin are such records. Everybody can read it, new pages are added all the time, and no page is ever changed.',
      'A file that is stored on a chain is written into that record, in one or more transactions. It stays as long as anybody keeps a full copy of the chain.',
    ],
  },
  {
    question: 'What are NTC, BTC and DOGE, and where do I get them?',
    answer: [
      'They are the coins of the three chains: NTC of Nativecoin, BTC of Bitcoin, DOGE of Dogecoin. Writing to a chain costs a fee in its own coin, so you pay in that coin.',
      'You need a wallet: a program that keeps coins and sends them. You get BTC and DOGE at an exchange, which sells them for ordinary money, and send them from there to your wallet. Where NTC is to be had, the operator of this service can tell you: see Contact at the foot of the page.',
    ],
  },
  {
    question: 'Why do I pay on Nativecoin for something on IPFS?',
    answer: [
      'IPFS is no chain and has no coin of its own. The operator chose in which coin it is paid; the price is for keeping and serving the file, and nothing of it is written to that chain.',
    ],
  },
  {
    question: 'What does "deep" mean?',
    answer: [
      'Transactions are written in blocks, one after another. A transaction in the newest block is one block deep, and with each block that follows it is one deeper. The deeper it is, the less likely it is that the chain replaces it.',
      'A payment counts, and a file is called stored, once it is as many blocks deep as this service wants. The page shows how many are missing. You can close it meanwhile.',
    ],
  },
  {
    question: 'What does IPFS keep, and for how long?',
    answer: [
      'On IPFS a file has a name that is made of its bytes, and anybody who has a copy can serve it under that name. It is there as long as this service, or somebody else, keeps a copy. It is not written for good, as a file on a chain is.',
    ],
  },
  {
    question: 'What can never be taken down?',
    answer: [
      'What is written to a chain. Neither you nor we nor anybody else can remove it. Store nothing there that you may want to be gone one day: no names, addresses or pictures of people who did not agree.',
      'Files on IPFS that somebody has copied stay where that copy is. What is uploaded and not paid for can be deleted at any time.',
    ],
  },
  {
    question: 'Who can see what I store?',
    answer: [
      'Everybody. All that is stored here is public, whether or not you tell its address to anybody. Encrypt a file with a program of your own first if it is only for some people.',
    ],
  },
  {
    question: 'What does it cost, and why does the price change?',
    answer: [
      'Most of a price is the fee of the chain, which depends on how many bytes are written and on how many others want to write at the same time. To that comes a part for keeping and serving the file.',
      'Choose your files on the page Store: it says what they would cost now, and nothing is uploaded. The exact price is fixed for a while once the upload is prepared. You see it before you pay.',
    ],
  },
  {
    question: 'I sent too little, too much, or too late. Is the money lost?',
    answer: [
      'No. Too little: send the rest to the same address. Too much, or after the price ran out: the money is added to your balance, and you can store something else with it or withdraw it.',
      'Coins of another chain than the page names do not arrive, and we cannot bring them back. Compare the name of the chain before you send.',
    ],
  },
  {
    question: 'Can I get my money back?',
    answer: [
      'Your balance is yours: the page Money sends it to an address of yours, less the fee of the chain. What was paid for a file that is written cannot be given back, since its fee is spent. If a paid file cannot be written, its price goes to your balance.',
    ],
  },
  {
    question: 'I lost my password.',
    answer: [
      'Press "choose a new password" where you sign in, and type your email address. We mail you a link to a page where you choose a new one. It ends all other sessions. A passkey signs you in without a password.',
    ],
  },
  {
    question: 'What does "Verified in this browser" mean?',
    answer: [
      'Each name on a chain or on IPFS is computed from the bytes that it names. Your browser computes it again from the bytes that it received, and shows them only if it is the same name. So it need not trust this service.',
    ],
  },
  {
    question: 'How do I prove to somebody that a file is mine, or was there on a day?',
    answer: [
      'Give them the file and its names: the ids of its transactions are on the page of the file, below Details. Anybody can look these up in any copy of the chain, see in which block they are and when that was, and compare the bytes. The command "hookline verify" does that, and needs no account.',
      'That shows that the file existed then. It does not show who made it.',
    ],
  },
  {
    question: 'What are the object id, the content id and the index?',
    answer: [
      'The object id is our name of the file, in its addresses here. The content id (CID) is its name on IPFS. The index is a transaction on a chain that names all transactions of a file: whoever knows it needs no other name.',
    ],
  },
  {
    question: 'The link of a file shows it wrongly, or only downloads it.',
    answer: [
      'Its type is probably wrong. Open the file in the library: below Details you can change its type, and nothing is stored again.',
    ],
  },
  {
    question: 'How do I publish a website, and a new version of it?',
    answer: [
      'Drop its folder on the page Store. With an index.html at its top it becomes one website, which is published as a new site or as a new version of a site that you have: choose which under "Publish it". A site has an address that stays.',
      'The site shows it as soon as it is stored. Tick "Try it first" to look at a new version before visitors see it. Every earlier version stays, and one press goes back to it.',
    ],
  },
  {
    question: 'How does my website get a readable address, or my own domain?',
    answer: [
      'A readable address needs no domain: open the site, press "Set an address" and type a name. A version of the site has to be paid for first. The address stays yours, also after a change.',
      'For a domain open the site, press "Add a domain" and type its name. The page says which record to make where the domain is managed, and checks it every minute until it is right.',
      'The top of a domain, such as example.com without www, takes no CNAME. Use ALIAS or CNAME flattening there if your provider has it, else the TXT record.',
    ],
  },
  {
    question: 'What can _headers, _redirects and 404.html do?',
    answer: [
      'These files at the top of a website are read by this service. 404.html is shown for what is not there. _redirects has lines of the form "/old /new 301"; "/* /index.html 200" sends every path to one page, as applications of one page need it. _headers sets header fields, such as Content-Security-Policy or Cache-Control, for paths.',
      'The page of a stored website lists each line that is wrong, and why.',
    ],
  },
  {
    question: 'My upload was interrupted.',
    answer: [
      'Open the page Store: your order is in the list, and goes on where it was. If the browser cannot read the file by itself, choose the same file again; what is uploaded already is not sent twice.',
    ],
  },
]
