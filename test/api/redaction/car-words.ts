/** Words of real listings that resemble names, addresses or numbers and must be shown. */
export const PLAIN_TRIMS: readonly string[] = [
  'Toyota Racing Edition',
  'Smith Blue',
  'R/T Scat Pack',
  '2.0T/AWD',
  'Silverado 2500 HD Extended Cab',
  'ProMaster 2500 159" WB',
  'Crew Cab 147" 1500 SLT',
  '3.5L-V6-EcoBoost',
  "XLT 6.7L V8 4x4 6.75' Bed",
  'C/K 1500 2500',
  'w/Tech.Pkg',
  '6-Spd.Auto',
  'L.L.Bean',
  '812Superfast',
  'XDRIVE40I/MSPORT',
  'ID.Buzz',
  'F12berlinetta',
  'e-tron® GT',
  'Limited®',
  'SE – Sport',
  'Rock ’n’ Roll',
  'up!',
  'Ruby Flare Pearl*',
  'Long Range: AWD',
  'Gris Métallisé',
];

/** Names of models, above all those with digits and signs, from all kinds of makes. */
export const MODELS: readonly string[] = [
  ...'124 Spider|190-Class|240SX|3 Series|300|300M|3000GT|350Z|4Runner|458 Italia|500|500L|57|599 GTB'.split(
    '|',
  ),
  ...'626|718 Cayman|850|86|9-3|900|9000|911|918 Spyder|1 Series M|1500 Classic Quad Cab|1500 Crew Cab'.split(
    '|',
  ),
  ...'2500 HD Extended Cab|2500 Mega Cab|3500 Club Coupe|3500 HD Regular Cab|A4 allroad|A6 allroad'.split(
    '|',
  ),
  ...'Accord|Aviator|Blazer EV|Bolt EUV|Bronco Sport|C/V|C-Class|CC|Caravan|Century|Civic|Clarity Fuel Cell'.split(
    '|',
  ),
  ...'Cooper|Corvette|Crown Victoria|CR-V|CT4-V|CX-50|Cybertruck|DB12|EQS SUV|ES 350|Elantra|e-Golf|e-tron GT'.split(
    '|',
  ),
  ...'Econoline E350 Super Duty Cargo|Escalade ESV|Express 3500 Cargo|F12berlinetta|F150 SuperCrew Cab'.split(
    '|',
  ),
  ...'F250 Super Duty Crew Cab|F450 Super Duty Crew Cab|FJ Cruiser|FX|Frontier Crew Cab|G-Series 1500|G6'.split(
    '|',
  ),
  ...'GR86|GranTurismo|Grand Cherokee L|GTC4Lusso|HR-V|I-PACE|ID. Buzz|ID.4|IONIQ 5|Jimmy|K1500 Suburban|K5'.split(
    '|',
  ),
  ...'LC|LR4|LS 500h|LaCrosse|Levante|M Roadster|MC20|MDX|MKZ|Model 3|Model Y|MR2|Mustang MACH-E|Mercedes-Maybach S 600|Mirage G4'.split(
    '|',
  ),
  ...'NV1500 Cargo|NV3500 HD Passenger|NX 300h|Nautilus|Outback|Pacifica|Park Avenue|Phantom|Pilot|Prelude'.split(
    '|',
  ),
  ...'ProMaster 2500 Cargo|Q4 e-tron|QX56|R8|RAV4 Prime|RC F|RDX|RS 5|Ram 3500 Mega Cab|Ram Van 1500|Range Rover'.split(
    '|',
  ),
  ...'S2000|SQ8 e-tron|SRX|Safari Cargo|Santa Fe|Savana 2500 Passenger'.split('|'),
  ...'Silverado 1500 Crew Cab|Silverado 3500 HD Double Cab|Sorento|Soul|Sprinter 2500 Cargo|Sprinter 3500 XD Crew'.split(
    '|',
  ),
  ...'Suburban 3500HD|TLX|TT|Tacoma Xtracab|Taurus|Titan Crew Cab|Transit 250 Van|Town & Country|Vandura G3500'.split(
    '|',
  ),
  ...'Vibe|WRX|Windstar Cargo|Wraith|X5 M|XC90 T8|XJ|XK|Xterra|Yukon XL 2500|Z4|ZDX|bZ4X|fortwo'.split(
    '|',
  ),
];
