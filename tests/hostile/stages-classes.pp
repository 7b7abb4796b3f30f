class c0 { notify { 'n0': } }
class c1 { notify { 'n1': } }
class c2 { notify { 'n2': } }
class c3 { notify { 'n3': } }
class c4 { notify { 'n4': } }
class c5 { notify { 'n5': } }
class c6 { notify { 'n6': } }
class c7 { notify { 'n7': } }
class c8 { notify { 'n8': } }
class c9 { notify { 'n9': } }
class c10 { notify { 'n10': } }
class c11 { notify { 'n11': } }
class c12 { notify { 'n12': } }
class c13 { notify { 'n13': } }
class c14 { notify { 'n14': } }
class c15 { notify { 'n15': } }
class c16 { notify { 'n16': } }
class c17 { notify { 'n17': } }
class c18 { notify { 'n18': } }
class c19 { notify { 'n19': } }
class c20 { notify { 'n20': } }
class c21 { notify { 'n21': } }
class c22 { notify { 'n22': } }
class c23 { notify { 'n23': } }
class c24 { notify { 'n24': } }
class c25 { notify { 'n25': } }
class c26 { notify { 'n26': } }
class c27 { notify { 'n27': } }
class c28 { notify { 'n28': } }
class c29 { notify { 'n29': } }
class c30 { notify { 'n30': } }
class c31 { notify { 'n31': } }
class c32 { notify { 'n32': } }
class c33 { notify { 'n33': } }
class c34 { notify { 'n34': } }
class c35 { notify { 'n35': } }
class c36 { notify { 'n36': } }
class c37 { notify { 'n37': } }
class c38 { notify { 'n38': } }
class c39 { notify { 'n39': } }
class c40 { notify { 'n40': } }
class c41 { notify { 'n41': } }
class c42 { notify { 'n42': } }
class c43 { notify { 'n43': } }
class c44 { notify { 'n44': } }
class c45 { notify { 'n45': } }
class c46 { notify { 'n46': } }
class c47 { notify { 'n47': } }
class c48 { notify { 'n48': } }
class c49 { notify { 'n49': } }
class c50 { notify { 'n50': } }
class c51 { notify { 'n51': } }
class c52 { notify { 'n52': } }
class c53 { notify { 'n53': } }
class c54 { notify { 'n54': } }
class c55 { notify { 'n55': } }
class c56 { notify { 'n56': } }
class c57 { notify { 'n57': } }
class c58 { notify { 'n58': } }
class c59 { notify { 'n59': } }
class c60 { notify { 'n60': } }
class c61 { notify { 'n61': } }
class c62 { notify { 'n62': } }
class c63 { notify { 'n63': } }
class c64 { notify { 'n64': } }
class c65 { notify { 'n65': } }
class c66 { notify { 'n66': } }
class c67 { notify { 'n67': } }
class c68 { notify { 'n68': } }
class c69 { notify { 'n69': } }
class c70 { notify { 'n70': } }
class c71 { notify { 'n71': } }
class c72 { notify { 'n72': } }
class c73 { notify { 'n73': } }
class c74 { notify { 'n74': } }
class c75 { notify { 'n75': } }
class c76 { notify { 'n76': } }
class c77 { notify { 'n77': } }
class c78 { notify { 'n78': } }
class c79 { notify { 'n79': } }
class c80 { notify { 'n80': } }
class c81 { notify { 'n81': } }
class c82 { notify { 'n82': } }
class c83 { notify { 'n83': } }
class c84 { notify { 'n84': } }
class c85 { notify { 'n85': } }
class c86 { notify { 'n86': } }
class c87 { notify { 'n87': } }
class c88 { notify { 'n88': } }
class c89 { notify { 'n89': } }
class c90 { notify { 'n90': } }
class c91 { notify { 'n91': } }
class c92 { notify { 'n92': } }
class c93 { notify { 'n93': } }
class c94 { notify { 'n94': } }
class c95 { notify { 'n95': } }
class c96 { notify { 'n96': } }
class c97 { notify { 'n97': } }
class c98 { notify { 'n98': } }
class c99 { notify { 'n99': } }
class c100 { notify { 'n100': } }
class c101 { notify { 'n101': } }
class c102 { notify { 'n102': } }
class c103 { notify { 'n103': } }
class c104 { notify { 'n104': } }
class c105 { notify { 'n105': } }
class c106 { notify { 'n106': } }
class c107 { notify { 'n107': } }
class c108 { notify { 'n108': } }
class c109 { notify { 'n109': } }
class c110 { notify { 'n110': } }
class c111 { notify { 'n111': } }
class c112 { notify { 'n112': } }
class c113 { notify { 'n113': } }
class c114 { notify { 'n114': } }
class c115 { notify { 'n115': } }
class c116 { notify { 'n116': } }
class c117 { notify { 'n117': } }
class c118 { notify { 'n118': } }
class c119 { notify { 'n119': } }
class c120 { notify { 'n120': } }
class c121 { notify { 'n121': } }
class c122 { notify { 'n122': } }
class c123 { notify { 'n123': } }
class c124 { notify { 'n124': } }
class c125 { notify { 'n125': } }
class c126 { notify { 'n126': } }
class c127 { notify { 'n127': } }
class c128 { notify { 'n128': } }
class c129 { notify { 'n129': } }
class c130 { notify { 'n130': } }
class c131 { notify { 'n131': } }
class c132 { notify { 'n132': } }
class c133 { notify { 'n133': } }
class c134 { notify { 'n134': } }
class c135 { notify { 'n135': } }
class c136 { notify { 'n136': } }
class c137 { notify { 'n137': } }
class c138 { notify { 'n138': } }
class c139 { notify { 'n139': } }
class c140 { notify { 'n140': } }
class c141 { notify { 'n141': } }
class c142 { notify { 'n142': } }
class c143 { notify { 'n143': } }
class c144 { notify { 'n144': } }
class c145 { notify { 'n145': } }
class c146 { notify { 'n146': } }
class c147 { notify { 'n147': } }
class c148 { notify { 'n148': } }
class c149 { notify { 'n149': } }
class c150 { notify { 'n150': } }
class c151 { notify { 'n151': } }
class c152 { notify { 'n152': } }
class c153 { notify { 'n153': } }
class c154 { notify { 'n154': } }
class c155 { notify { 'n155': } }
class c156 { notify { 'n156': } }
class c157 { notify { 'n157': } }
class c158 { notify { 'n158': } }
class c159 { notify { 'n159': } }
class c160 { notify { 'n160': } }
class c161 { notify { 'n161': } }
class c162 { notify { 'n162': } }
class c163 { notify { 'n163': } }
class c164 { notify { 'n164': } }
class c165 { notify { 'n165': } }
class c166 { notify { 'n166': } }
class c167 { notify { 'n167': } }
class c168 { notify { 'n168': } }
class c169 { notify { 'n169': } }
class c170 { notify { 'n170': } }
class c171 { notify { 'n171': } }
class c172 { notify { 'n172': } }
class c173 { notify { 'n173': } }
class c174 { notify { 'n174': } }
class c175 { notify { 'n175': } }
class c176 { notify { 'n176': } }
class c177 { notify { 'n177': } }
class c178 { notify { 'n178': } }
class c179 { notify { 'n179': } }
class c180 { notify { 'n180': } }
class c181 { notify { 'n181': } }
class c182 { notify { 'n182': } }
class c183 { notify { 'n183': } }
class c184 { notify { 'n184': } }
class c185 { notify { 'n185': } }
class c186 { notify { 'n186': } }
class c187 { notify { 'n187': } }
class c188 { notify { 'n188': } }
class c189 { notify { 'n189': } }
class c190 { notify { 'n190': } }
class c191 { notify { 'n191': } }
class c192 { notify { 'n192': } }
class c193 { notify { 'n193': } }
class c194 { notify { 'n194': } }
class c195 { notify { 'n195': } }
class c196 { notify { 'n196': } }
class c197 { notify { 'n197': } }
class c198 { notify { 'n198': } }
class c199 { notify { 'n199': } }
class c200 { notify { 'n200': } }
class c201 { notify { 'n201': } }
class c202 { notify { 'n202': } }
class c203 { notify { 'n203': } }
class c204 { notify { 'n204': } }
class c205 { notify { 'n205': } }
class c206 { notify { 'n206': } }
class c207 { notify { 'n207': } }
class c208 { notify { 'n208': } }
class c209 { notify { 'n209': } }
class c210 { notify { 'n210': } }
class c211 { notify { 'n211': } }
class c212 { notify { 'n212': } }
class c213 { notify { 'n213': } }
class c214 { notify { 'n214': } }
class c215 { notify { 'n215': } }
class c216 { notify { 'n216': } }
class c217 { notify { 'n217': } }
class c218 { notify { 'n218': } }
class c219 { notify { 'n219': } }
class c220 { notify { 'n220': } }
class c221 { notify { 'n221': } }
class c222 { notify { 'n222': } }
class c223 { notify { 'n223': } }
class c224 { notify { 'n224': } }
class c225 { notify { 'n225': } }
class c226 { notify { 'n226': } }
class c227 { notify { 'n227': } }
class c228 { notify { 'n228': } }
class c229 { notify { 'n229': } }
class c230 { notify { 'n230': } }
class c231 { notify { 'n231': } }
class c232 { notify { 'n232': } }
class c233 { notify { 'n233': } }
class c234 { notify { 'n234': } }
class c235 { notify { 'n235': } }
class c236 { notify { 'n236': } }
class c237 { notify { 'n237': } }
class c238 { notify { 'n238': } }
class c239 { notify { 'n239': } }
class c240 { notify { 'n240': } }
class c241 { notify { 'n241': } }
class c242 { notify { 'n242': } }
class c243 { notify { 'n243': } }
class c244 { notify { 'n244': } }
class c245 { notify { 'n245': } }
class c246 { notify { 'n246': } }
class c247 { notify { 'n247': } }
class c248 { notify { 'n248': } }
class c249 { notify { 'n249': } }
class c250 { notify { 'n250': } }
class c251 { notify { 'n251': } }
class c252 { notify { 'n252': } }
class c253 { notify { 'n253': } }
class c254 { notify { 'n254': } }
class c255 { notify { 'n255': } }
class c256 { notify { 'n256': } }
class c257 { notify { 'n257': } }
class c258 { notify { 'n258': } }
class c259 { notify { 'n259': } }
class c260 { notify { 'n260': } }
class c261 { notify { 'n261': } }
class c262 { notify { 'n262': } }
class c263 { notify { 'n263': } }
class c264 { notify { 'n264': } }
class c265 { notify { 'n265': } }
class c266 { notify { 'n266': } }
class c267 { notify { 'n267': } }
class c268 { notify { 'n268': } }
class c269 { notify { 'n269': } }
class c270 { notify { 'n270': } }
class c271 { notify { 'n271': } }
class c272 { notify { 'n272': } }
class c273 { notify { 'n273': } }
class c274 { notify { 'n274': } }
class c275 { notify { 'n275': } }
class c276 { notify { 'n276': } }
class c277 { notify { 'n277': } }
class c278 { notify { 'n278': } }
class c279 { notify { 'n279': } }
class c280 { notify { 'n280': } }
class c281 { notify { 'n281': } }
class c282 { notify { 'n282': } }
class c283 { notify { 'n283': } }
class c284 { notify { 'n284': } }
class c285 { notify { 'n285': } }
class c286 { notify { 'n286': } }
class c287 { notify { 'n287': } }
class c288 { notify { 'n288': } }
class c289 { notify { 'n289': } }
class c290 { notify { 'n290': } }
class c291 { notify { 'n291': } }
class c292 { notify { 'n292': } }
class c293 { notify { 'n293': } }
class c294 { notify { 'n294': } }
class c295 { notify { 'n295': } }
class c296 { notify { 'n296': } }
class c297 { notify { 'n297': } }
class c298 { notify { 'n298': } }
class c299 { notify { 'n299': } }
class c300 { notify { 'n300': } }
class c301 { notify { 'n301': } }
class c302 { notify { 'n302': } }
class c303 { notify { 'n303': } }
class c304 { notify { 'n304': } }
class c305 { notify { 'n305': } }
class c306 { notify { 'n306': } }
class c307 { notify { 'n307': } }
class c308 { notify { 'n308': } }
class c309 { notify { 'n309': } }
class c310 { notify { 'n310': } }
class c311 { notify { 'n311': } }
class c312 { notify { 'n312': } }
class c313 { notify { 'n313': } }
class c314 { notify { 'n314': } }
class c315 { notify { 'n315': } }
class c316 { notify { 'n316': } }
class c317 { notify { 'n317': } }
class c318 { notify { 'n318': } }
class c319 { notify { 'n319': } }
class c320 { notify { 'n320': } }
class c321 { notify { 'n321': } }
class c322 { notify { 'n322': } }
class c323 { notify { 'n323': } }
class c324 { notify { 'n324': } }
class c325 { notify { 'n325': } }
class c326 { notify { 'n326': } }
class c327 { notify { 'n327': } }
class c328 { notify { 'n328': } }
class c329 { notify { 'n329': } }
class c330 { notify { 'n330': } }
class c331 { notify { 'n331': } }
class c332 { notify { 'n332': } }
class c333 { notify { 'n333': } }
class c334 { notify { 'n334': } }
class c335 { notify { 'n335': } }
class c336 { notify { 'n336': } }
class c337 { notify { 'n337': } }
class c338 { notify { 'n338': } }
class c339 { notify { 'n339': } }
class c340 { notify { 'n340': } }
class c341 { notify { 'n341': } }
class c342 { notify { 'n342': } }
class c343 { notify { 'n343': } }
class c344 { notify { 'n344': } }
class c345 { notify { 'n345': } }
class c346 { notify { 'n346': } }
class c347 { notify { 'n347': } }
class c348 { notify { 'n348': } }
class c349 { notify { 'n349': } }
class c350 { notify { 'n350': } }
class c351 { notify { 'n351': } }
class c352 { notify { 'n352': } }
class c353 { notify { 'n353': } }
class c354 { notify { 'n354': } }
class c355 { notify { 'n355': } }
class c356 { notify { 'n356': } }
class c357 { notify { 'n357': } }
class c358 { notify { 'n358': } }
class c359 { notify { 'n359': } }
class c360 { notify { 'n360': } }
class c361 { notify { 'n361': } }
class c362 { notify { 'n362': } }
class c363 { notify { 'n363': } }
class c364 { notify { 'n364': } }
class c365 { notify { 'n365': } }
class c366 { notify { 'n366': } }
class c367 { notify { 'n367': } }
class c368 { notify { 'n368': } }
class c369 { notify { 'n369': } }
class c370 { notify { 'n370': } }
class c371 { notify { 'n371': } }
class c372 { notify { 'n372': } }
class c373 { notify { 'n373': } }
class c374 { notify { 'n374': } }
class c375 { notify { 'n375': } }
class c376 { notify { 'n376': } }
class c377 { notify { 'n377': } }
class c378 { notify { 'n378': } }
class c379 { notify { 'n379': } }
class c380 { notify { 'n380': } }
class c381 { notify { 'n381': } }
class c382 { notify { 'n382': } }
class c383 { notify { 'n383': } }
class c384 { notify { 'n384': } }
class c385 { notify { 'n385': } }
class c386 { notify { 'n386': } }
class c387 { notify { 'n387': } }
class c388 { notify { 'n388': } }
class c389 { notify { 'n389': } }
class c390 { notify { 'n390': } }
class c391 { notify { 'n391': } }
class c392 { notify { 'n392': } }
class c393 { notify { 'n393': } }
class c394 { notify { 'n394': } }
class c395 { notify { 'n395': } }
class c396 { notify { 'n396': } }
class c397 { notify { 'n397': } }
class c398 { notify { 'n398': } }
class c399 { notify { 'n399': } }
class c400 { notify { 'n400': } }
class c401 { notify { 'n401': } }
class c402 { notify { 'n402': } }
class c403 { notify { 'n403': } }
class c404 { notify { 'n404': } }
class c405 { notify { 'n405': } }
class c406 { notify { 'n406': } }
class c407 { notify { 'n407': } }
class c408 { notify { 'n408': } }
class c409 { notify { 'n409': } }
class c410 { notify { 'n410': } }
class c411 { notify { 'n411': } }
class c412 { notify { 'n412': } }
class c413 { notify { 'n413': } }
class c414 { notify { 'n414': } }
class c415 { notify { 'n415': } }
class c416 { notify { 'n416': } }
class c417 { notify { 'n417': } }
class c418 { notify { 'n418': } }
class c419 { notify { 'n419': } }
class c420 { notify { 'n420': } }
class c421 { notify { 'n421': } }
class c422 { notify { 'n422': } }
class c423 { notify { 'n423': } }
class c424 { notify { 'n424': } }
class c425 { notify { 'n425': } }
class c426 { notify { 'n426': } }
class c427 { notify { 'n427': } }
class c428 { notify { 'n428': } }
class c429 { notify { 'n429': } }
class c430 { notify { 'n430': } }
class c431 { notify { 'n431': } }
class c432 { notify { 'n432': } }
class c433 { notify { 'n433': } }
class c434 { notify { 'n434': } }
class c435 { notify { 'n435': } }
class c436 { notify { 'n436': } }
class c437 { notify { 'n437': } }
class c438 { notify { 'n438': } }
class c439 { notify { 'n439': } }
class c440 { notify { 'n440': } }
class c441 { notify { 'n441': } }
class c442 { notify { 'n442': } }
class c443 { notify { 'n443': } }
class c444 { notify { 'n444': } }
class c445 { notify { 'n445': } }
class c446 { notify { 'n446': } }
class c447 { notify { 'n447': } }
class c448 { notify { 'n448': } }
class c449 { notify { 'n449': } }
class c450 { notify { 'n450': } }
class c451 { notify { 'n451': } }
class c452 { notify { 'n452': } }
class c453 { notify { 'n453': } }
class c454 { notify { 'n454': } }
class c455 { notify { 'n455': } }
class c456 { notify { 'n456': } }
class c457 { notify { 'n457': } }
class c458 { notify { 'n458': } }
class c459 { notify { 'n459': } }
class c460 { notify { 'n460': } }
class c461 { notify { 'n461': } }
class c462 { notify { 'n462': } }
class c463 { notify { 'n463': } }
class c464 { notify { 'n464': } }
class c465 { notify { 'n465': } }
class c466 { notify { 'n466': } }
class c467 { notify { 'n467': } }
class c468 { notify { 'n468': } }
class c469 { notify { 'n469': } }
class c470 { notify { 'n470': } }
class c471 { notify { 'n471': } }
class c472 { notify { 'n472': } }
class c473 { notify { 'n473': } }
class c474 { notify { 'n474': } }
class c475 { notify { 'n475': } }
class c476 { notify { 'n476': } }
class c477 { notify { 'n477': } }
class c478 { notify { 'n478': } }
class c479 { notify { 'n479': } }
class c480 { notify { 'n480': } }
class c481 { notify { 'n481': } }
class c482 { notify { 'n482': } }
class c483 { notify { 'n483': } }
class c484 { notify { 'n484': } }
class c485 { notify { 'n485': } }
class c486 { notify { 'n486': } }
class c487 { notify { 'n487': } }
class c488 { notify { 'n488': } }
class c489 { notify { 'n489': } }
class c490 { notify { 'n490': } }
class c491 { notify { 'n491': } }
class c492 { notify { 'n492': } }
class c493 { notify { 'n493': } }
class c494 { notify { 'n494': } }
class c495 { notify { 'n495': } }
class c496 { notify { 'n496': } }
class c497 { notify { 'n497': } }
class c498 { notify { 'n498': } }
class c499 { notify { 'n499': } }
class c500 { notify { 'n500': } }
class c501 { notify { 'n501': } }
class c502 { notify { 'n502': } }
class c503 { notify { 'n503': } }
class c504 { notify { 'n504': } }
class c505 { notify { 'n505': } }
class c506 { notify { 'n506': } }
class c507 { notify { 'n507': } }
class c508 { notify { 'n508': } }
class c509 { notify { 'n509': } }
class c510 { notify { 'n510': } }
class c511 { notify { 'n511': } }
class c512 { notify { 'n512': } }
class c513 { notify { 'n513': } }
class c514 { notify { 'n514': } }
class c515 { notify { 'n515': } }
class c516 { notify { 'n516': } }
class c517 { notify { 'n517': } }
class c518 { notify { 'n518': } }
class c519 { notify { 'n519': } }
class c520 { notify { 'n520': } }
class c521 { notify { 'n521': } }
class c522 { notify { 'n522': } }
class c523 { notify { 'n523': } }
class c524 { notify { 'n524': } }
class c525 { notify { 'n525': } }
class c526 { notify { 'n526': } }
class c527 { notify { 'n527': } }
class c528 { notify { 'n528': } }
class c529 { notify { 'n529': } }
class c530 { notify { 'n530': } }
class c531 { notify { 'n531': } }
class c532 { notify { 'n532': } }
class c533 { notify { 'n533': } }
class c534 { notify { 'n534': } }
class c535 { notify { 'n535': } }
class c536 { notify { 'n536': } }
class c537 { notify { 'n537': } }
class c538 { notify { 'n538': } }
class c539 { notify { 'n539': } }
class c540 { notify { 'n540': } }
class c541 { notify { 'n541': } }
class c542 { notify { 'n542': } }
class c543 { notify { 'n543': } }
class c544 { notify { 'n544': } }
class c545 { notify { 'n545': } }
class c546 { notify { 'n546': } }
class c547 { notify { 'n547': } }
class c548 { notify { 'n548': } }
class c549 { notify { 'n549': } }
class c550 { notify { 'n550': } }
class c551 { notify { 'n551': } }
class c552 { notify { 'n552': } }
class c553 { notify { 'n553': } }
class c554 { notify { 'n554': } }
class c555 { notify { 'n555': } }
class c556 { notify { 'n556': } }
class c557 { notify { 'n557': } }
class c558 { notify { 'n558': } }
class c559 { notify { 'n559': } }
class c560 { notify { 'n560': } }
class c561 { notify { 'n561': } }
class c562 { notify { 'n562': } }
class c563 { notify { 'n563': } }
class c564 { notify { 'n564': } }
class c565 { notify { 'n565': } }
class c566 { notify { 'n566': } }
class c567 { notify { 'n567': } }
class c568 { notify { 'n568': } }
class c569 { notify { 'n569': } }
class c570 { notify { 'n570': } }
class c571 { notify { 'n571': } }
class c572 { notify { 'n572': } }
class c573 { notify { 'n573': } }
class c574 { notify { 'n574': } }
class c575 { notify { 'n575': } }
class c576 { notify { 'n576': } }
class c577 { notify { 'n577': } }
class c578 { notify { 'n578': } }
class c579 { notify { 'n579': } }
class c580 { notify { 'n580': } }
class c581 { notify { 'n581': } }
class c582 { notify { 'n582': } }
class c583 { notify { 'n583': } }
class c584 { notify { 'n584': } }
class c585 { notify { 'n585': } }
class c586 { notify { 'n586': } }
class c587 { notify { 'n587': } }
class c588 { notify { 'n588': } }
class c589 { notify { 'n589': } }
class c590 { notify { 'n590': } }
class c591 { notify { 'n591': } }
class c592 { notify { 'n592': } }
class c593 { notify { 'n593': } }
class c594 { notify { 'n594': } }
class c595 { notify { 'n595': } }
class c596 { notify { 'n596': } }
class c597 { notify { 'n597': } }
class c598 { notify { 'n598': } }
class c599 { notify { 'n599': } }
class c600 { notify { 'n600': } }
class c601 { notify { 'n601': } }
class c602 { notify { 'n602': } }
class c603 { notify { 'n603': } }
class c604 { notify { 'n604': } }
class c605 { notify { 'n605': } }
class c606 { notify { 'n606': } }
class c607 { notify { 'n607': } }
class c608 { notify { 'n608': } }
class c609 { notify { 'n609': } }
class c610 { notify { 'n610': } }
class c611 { notify { 'n611': } }
class c612 { notify { 'n612': } }
class c613 { notify { 'n613': } }
class c614 { notify { 'n614': } }
class c615 { notify { 'n615': } }
class c616 { notify { 'n616': } }
class c617 { notify { 'n617': } }
class c618 { notify { 'n618': } }
class c619 { notify { 'n619': } }
class c620 { notify { 'n620': } }
class c621 { notify { 'n621': } }
class c622 { notify { 'n622': } }
class c623 { notify { 'n623': } }
class c624 { notify { 'n624': } }
class c625 { notify { 'n625': } }
class c626 { notify { 'n626': } }
class c627 { notify { 'n627': } }
class c628 { notify { 'n628': } }
class c629 { notify { 'n629': } }
class c630 { notify { 'n630': } }
class c631 { notify { 'n631': } }
class c632 { notify { 'n632': } }
class c633 { notify { 'n633': } }
class c634 { notify { 'n634': } }
class c635 { notify { 'n635': } }
class c636 { notify { 'n636': } }
class c637 { notify { 'n637': } }
class c638 { notify { 'n638': } }
class c639 { notify { 'n639': } }
class c640 { notify { 'n640': } }
class c641 { notify { 'n641': } }
class c642 { notify { 'n642': } }
class c643 { notify { 'n643': } }
class c644 { notify { 'n644': } }
class c645 { notify { 'n645': } }
class c646 { notify { 'n646': } }
class c647 { notify { 'n647': } }
class c648 { notify { 'n648': } }
class c649 { notify { 'n649': } }
class c650 { notify { 'n650': } }
class c651 { notify { 'n651': } }
class c652 { notify { 'n652': } }
class c653 { notify { 'n653': } }
class c654 { notify { 'n654': } }
class c655 { notify { 'n655': } }
class c656 { notify { 'n656': } }
class c657 { notify { 'n657': } }
class c658 { notify { 'n658': } }
class c659 { notify { 'n659': } }
class c660 { notify { 'n660': } }
class c661 { notify { 'n661': } }
class c662 { notify { 'n662': } }
class c663 { notify { 'n663': } }
class c664 { notify { 'n664': } }
class c665 { notify { 'n665': } }
class c666 { notify { 'n666': } }
class c667 { notify { 'n667': } }
class c668 { notify { 'n668': } }
class c669 { notify { 'n669': } }
class c670 { notify { 'n670': } }
class c671 { notify { 'n671': } }
class c672 { notify { 'n672': } }
class c673 { notify { 'n673': } }
class c674 { notify { 'n674': } }
class c675 { notify { 'n675': } }
class c676 { notify { 'n676': } }
class c677 { notify { 'n677': } }
class c678 { notify { 'n678': } }
class c679 { notify { 'n679': } }
class c680 { notify { 'n680': } }
class c681 { notify { 'n681': } }
class c682 { notify { 'n682': } }
class c683 { notify { 'n683': } }
class c684 { notify { 'n684': } }
class c685 { notify { 'n685': } }
class c686 { notify { 'n686': } }
class c687 { notify { 'n687': } }
class c688 { notify { 'n688': } }
class c689 { notify { 'n689': } }
class c690 { notify { 'n690': } }
class c691 { notify { 'n691': } }
class c692 { notify { 'n692': } }
class c693 { notify { 'n693': } }
class c694 { notify { 'n694': } }
class c695 { notify { 'n695': } }
class c696 { notify { 'n696': } }
class c697 { notify { 'n697': } }
class c698 { notify { 'n698': } }
class c699 { notify { 'n699': } }
class c700 { notify { 'n700': } }
class c701 { notify { 'n701': } }
class c702 { notify { 'n702': } }
class c703 { notify { 'n703': } }
class c704 { notify { 'n704': } }
class c705 { notify { 'n705': } }
class c706 { notify { 'n706': } }
class c707 { notify { 'n707': } }
class c708 { notify { 'n708': } }
class c709 { notify { 'n709': } }
class c710 { notify { 'n710': } }
class c711 { notify { 'n711': } }
class c712 { notify { 'n712': } }
class c713 { notify { 'n713': } }
class c714 { notify { 'n714': } }
class c715 { notify { 'n715': } }
class c716 { notify { 'n716': } }
class c717 { notify { 'n717': } }
class c718 { notify { 'n718': } }
class c719 { notify { 'n719': } }
class c720 { notify { 'n720': } }
class c721 { notify { 'n721': } }
class c722 { notify { 'n722': } }
class c723 { notify { 'n723': } }
class c724 { notify { 'n724': } }
class c725 { notify { 'n725': } }
class c726 { notify { 'n726': } }
class c727 { notify { 'n727': } }
class c728 { notify { 'n728': } }
class c729 { notify { 'n729': } }
class c730 { notify { 'n730': } }
class c731 { notify { 'n731': } }
class c732 { notify { 'n732': } }
class c733 { notify { 'n733': } }
class c734 { notify { 'n734': } }
class c735 { notify { 'n735': } }
class c736 { notify { 'n736': } }
class c737 { notify { 'n737': } }
class c738 { notify { 'n738': } }
class c739 { notify { 'n739': } }
class c740 { notify { 'n740': } }
class c741 { notify { 'n741': } }
class c742 { notify { 'n742': } }
class c743 { notify { 'n743': } }
class c744 { notify { 'n744': } }
class c745 { notify { 'n745': } }
class c746 { notify { 'n746': } }
class c747 { notify { 'n747': } }
class c748 { notify { 'n748': } }
class c749 { notify { 'n749': } }
class c750 { notify { 'n750': } }
class c751 { notify { 'n751': } }
class c752 { notify { 'n752': } }
class c753 { notify { 'n753': } }
class c754 { notify { 'n754': } }
class c755 { notify { 'n755': } }
class c756 { notify { 'n756': } }
class c757 { notify { 'n757': } }
class c758 { notify { 'n758': } }
class c759 { notify { 'n759': } }
class c760 { notify { 'n760': } }
class c761 { notify { 'n761': } }
class c762 { notify { 'n762': } }
class c763 { notify { 'n763': } }
class c764 { notify { 'n764': } }
class c765 { notify { 'n765': } }
class c766 { notify { 'n766': } }
class c767 { notify { 'n767': } }
class c768 { notify { 'n768': } }
class c769 { notify { 'n769': } }
class c770 { notify { 'n770': } }
class c771 { notify { 'n771': } }
class c772 { notify { 'n772': } }
class c773 { notify { 'n773': } }
class c774 { notify { 'n774': } }
class c775 { notify { 'n775': } }
class c776 { notify { 'n776': } }
class c777 { notify { 'n777': } }
class c778 { notify { 'n778': } }
class c779 { notify { 'n779': } }
class c780 { notify { 'n780': } }
class c781 { notify { 'n781': } }
class c782 { notify { 'n782': } }
class c783 { notify { 'n783': } }
class c784 { notify { 'n784': } }
class c785 { notify { 'n785': } }
class c786 { notify { 'n786': } }
class c787 { notify { 'n787': } }
class c788 { notify { 'n788': } }
class c789 { notify { 'n789': } }
class c790 { notify { 'n790': } }
class c791 { notify { 'n791': } }
class c792 { notify { 'n792': } }
class c793 { notify { 'n793': } }
class c794 { notify { 'n794': } }
class c795 { notify { 'n795': } }
class c796 { notify { 'n796': } }
class c797 { notify { 'n797': } }
class c798 { notify { 'n798': } }
class c799 { notify { 'n799': } }
class c800 { notify { 'n800': } }
class c801 { notify { 'n801': } }
class c802 { notify { 'n802': } }
class c803 { notify { 'n803': } }
class c804 { notify { 'n804': } }
class c805 { notify { 'n805': } }
class c806 { notify { 'n806': } }
class c807 { notify { 'n807': } }
class c808 { notify { 'n808': } }
class c809 { notify { 'n809': } }
class c810 { notify { 'n810': } }
class c811 { notify { 'n811': } }
class c812 { notify { 'n812': } }
class c813 { notify { 'n813': } }
class c814 { notify { 'n814': } }
class c815 { notify { 'n815': } }
class c816 { notify { 'n816': } }
class c817 { notify { 'n817': } }
class c818 { notify { 'n818': } }
class c819 { notify { 'n819': } }
class c820 { notify { 'n820': } }
class c821 { notify { 'n821': } }
class c822 { notify { 'n822': } }
class c823 { notify { 'n823': } }
class c824 { notify { 'n824': } }
class c825 { notify { 'n825': } }
class c826 { notify { 'n826': } }
class c827 { notify { 'n827': } }
class c828 { notify { 'n828': } }
class c829 { notify { 'n829': } }
class c830 { notify { 'n830': } }
class c831 { notify { 'n831': } }
class c832 { notify { 'n832': } }
class c833 { notify { 'n833': } }
class c834 { notify { 'n834': } }
class c835 { notify { 'n835': } }
class c836 { notify { 'n836': } }
class c837 { notify { 'n837': } }
class c838 { notify { 'n838': } }
class c839 { notify { 'n839': } }
class c840 { notify { 'n840': } }
class c841 { notify { 'n841': } }
class c842 { notify { 'n842': } }
class c843 { notify { 'n843': } }
class c844 { notify { 'n844': } }
class c845 { notify { 'n845': } }
class c846 { notify { 'n846': } }
class c847 { notify { 'n847': } }
class c848 { notify { 'n848': } }
class c849 { notify { 'n849': } }
class c850 { notify { 'n850': } }
class c851 { notify { 'n851': } }
class c852 { notify { 'n852': } }
class c853 { notify { 'n853': } }
class c854 { notify { 'n854': } }
class c855 { notify { 'n855': } }
class c856 { notify { 'n856': } }
class c857 { notify { 'n857': } }
class c858 { notify { 'n858': } }
class c859 { notify { 'n859': } }
class c860 { notify { 'n860': } }
class c861 { notify { 'n861': } }
class c862 { notify { 'n862': } }
class c863 { notify { 'n863': } }
class c864 { notify { 'n864': } }
class c865 { notify { 'n865': } }
class c866 { notify { 'n866': } }
class c867 { notify { 'n867': } }
class c868 { notify { 'n868': } }
class c869 { notify { 'n869': } }
class c870 { notify { 'n870': } }
class c871 { notify { 'n871': } }
class c872 { notify { 'n872': } }
class c873 { notify { 'n873': } }
class c874 { notify { 'n874': } }
class c875 { notify { 'n875': } }
class c876 { notify { 'n876': } }
class c877 { notify { 'n877': } }
class c878 { notify { 'n878': } }
class c879 { notify { 'n879': } }
class c880 { notify { 'n880': } }
class c881 { notify { 'n881': } }
class c882 { notify { 'n882': } }
class c883 { notify { 'n883': } }
class c884 { notify { 'n884': } }
class c885 { notify { 'n885': } }
class c886 { notify { 'n886': } }
class c887 { notify { 'n887': } }
class c888 { notify { 'n888': } }
class c889 { notify { 'n889': } }
class c890 { notify { 'n890': } }
class c891 { notify { 'n891': } }
class c892 { notify { 'n892': } }
class c893 { notify { 'n893': } }
class c894 { notify { 'n894': } }
class c895 { notify { 'n895': } }
class c896 { notify { 'n896': } }
class c897 { notify { 'n897': } }
class c898 { notify { 'n898': } }
class c899 { notify { 'n899': } }
class c900 { notify { 'n900': } }
class c901 { notify { 'n901': } }
class c902 { notify { 'n902': } }
class c903 { notify { 'n903': } }
class c904 { notify { 'n904': } }
class c905 { notify { 'n905': } }
class c906 { notify { 'n906': } }
class c907 { notify { 'n907': } }
class c908 { notify { 'n908': } }
class c909 { notify { 'n909': } }
class c910 { notify { 'n910': } }
class c911 { notify { 'n911': } }
class c912 { notify { 'n912': } }
class c913 { notify { 'n913': } }
class c914 { notify { 'n914': } }
class c915 { notify { 'n915': } }
class c916 { notify { 'n916': } }
class c917 { notify { 'n917': } }
class c918 { notify { 'n918': } }
class c919 { notify { 'n919': } }
class c920 { notify { 'n920': } }
class c921 { notify { 'n921': } }
class c922 { notify { 'n922': } }
class c923 { notify { 'n923': } }
class c924 { notify { 'n924': } }
class c925 { notify { 'n925': } }
class c926 { notify { 'n926': } }
class c927 { notify { 'n927': } }
class c928 { notify { 'n928': } }
class c929 { notify { 'n929': } }
class c930 { notify { 'n930': } }
class c931 { notify { 'n931': } }
class c932 { notify { 'n932': } }
class c933 { notify { 'n933': } }
class c934 { notify { 'n934': } }
class c935 { notify { 'n935': } }
class c936 { notify { 'n936': } }
class c937 { notify { 'n937': } }
class c938 { notify { 'n938': } }
class c939 { notify { 'n939': } }
class c940 { notify { 'n940': } }
class c941 { notify { 'n941': } }
class c942 { notify { 'n942': } }
class c943 { notify { 'n943': } }
class c944 { notify { 'n944': } }
class c945 { notify { 'n945': } }
class c946 { notify { 'n946': } }
class c947 { notify { 'n947': } }
class c948 { notify { 'n948': } }
class c949 { notify { 'n949': } }
class c950 { notify { 'n950': } }
class c951 { notify { 'n951': } }
class c952 { notify { 'n952': } }
class c953 { notify { 'n953': } }
class c954 { notify { 'n954': } }
class c955 { notify { 'n955': } }
class c956 { notify { 'n956': } }
class c957 { notify { 'n957': } }
class c958 { notify { 'n958': } }
class c959 { notify { 'n959': } }
class c960 { notify { 'n960': } }
class c961 { notify { 'n961': } }
class c962 { notify { 'n962': } }
class c963 { notify { 'n963': } }
class c964 { notify { 'n964': } }
class c965 { notify { 'n965': } }
class c966 { notify { 'n966': } }
class c967 { notify { 'n967': } }
class c968 { notify { 'n968': } }
class c969 { notify { 'n969': } }
class c970 { notify { 'n970': } }
class c971 { notify { 'n971': } }
class c972 { notify { 'n972': } }
class c973 { notify { 'n973': } }
class c974 { notify { 'n974': } }
class c975 { notify { 'n975': } }
class c976 { notify { 'n976': } }
class c977 { notify { 'n977': } }
class c978 { notify { 'n978': } }
class c979 { notify { 'n979': } }
class c980 { notify { 'n980': } }
class c981 { notify { 'n981': } }
class c982 { notify { 'n982': } }
class c983 { notify { 'n983': } }
class c984 { notify { 'n984': } }
class c985 { notify { 'n985': } }
class c986 { notify { 'n986': } }
class c987 { notify { 'n987': } }
class c988 { notify { 'n988': } }
class c989 { notify { 'n989': } }
class c990 { notify { 'n990': } }
class c991 { notify { 'n991': } }
class c992 { notify { 'n992': } }
class c993 { notify { 'n993': } }
class c994 { notify { 'n994': } }
class c995 { notify { 'n995': } }
class c996 { notify { 'n996': } }
class c997 { notify { 'n997': } }
class c998 { notify { 'n998': } }
class c999 { notify { 'n999': } }
class c1000 { notify { 'n1000': } }
class c1001 { notify { 'n1001': } }
class c1002 { notify { 'n1002': } }
class c1003 { notify { 'n1003': } }
class c1004 { notify { 'n1004': } }
class c1005 { notify { 'n1005': } }
class c1006 { notify { 'n1006': } }
class c1007 { notify { 'n1007': } }
class c1008 { notify { 'n1008': } }
class c1009 { notify { 'n1009': } }
class c1010 { notify { 'n1010': } }
class c1011 { notify { 'n1011': } }
class c1012 { notify { 'n1012': } }
class c1013 { notify { 'n1013': } }
class c1014 { notify { 'n1014': } }
class c1015 { notify { 'n1015': } }
class c1016 { notify { 'n1016': } }
class c1017 { notify { 'n1017': } }
class c1018 { notify { 'n1018': } }
class c1019 { notify { 'n1019': } }
class c1020 { notify { 'n1020': } }
class c1021 { notify { 'n1021': } }
class c1022 { notify { 'n1022': } }
class c1023 { notify { 'n1023': } }
class c1024 { notify { 'n1024': } }
class c1025 { notify { 'n1025': } }
class c1026 { notify { 'n1026': } }
class c1027 { notify { 'n1027': } }
class c1028 { notify { 'n1028': } }
class c1029 { notify { 'n1029': } }
class c1030 { notify { 'n1030': } }
class c1031 { notify { 'n1031': } }
class c1032 { notify { 'n1032': } }
class c1033 { notify { 'n1033': } }
class c1034 { notify { 'n1034': } }
class c1035 { notify { 'n1035': } }
class c1036 { notify { 'n1036': } }
class c1037 { notify { 'n1037': } }
class c1038 { notify { 'n1038': } }
class c1039 { notify { 'n1039': } }
class c1040 { notify { 'n1040': } }
class c1041 { notify { 'n1041': } }
class c1042 { notify { 'n1042': } }
class c1043 { notify { 'n1043': } }
class c1044 { notify { 'n1044': } }
class c1045 { notify { 'n1045': } }
class c1046 { notify { 'n1046': } }
class c1047 { notify { 'n1047': } }
class c1048 { notify { 'n1048': } }
class c1049 { notify { 'n1049': } }
class c1050 { notify { 'n1050': } }
class c1051 { notify { 'n1051': } }
class c1052 { notify { 'n1052': } }
class c1053 { notify { 'n1053': } }
class c1054 { notify { 'n1054': } }
class c1055 { notify { 'n1055': } }
class c1056 { notify { 'n1056': } }
class c1057 { notify { 'n1057': } }
class c1058 { notify { 'n1058': } }
class c1059 { notify { 'n1059': } }
class c1060 { notify { 'n1060': } }
class c1061 { notify { 'n1061': } }
class c1062 { notify { 'n1062': } }
class c1063 { notify { 'n1063': } }
class c1064 { notify { 'n1064': } }
class c1065 { notify { 'n1065': } }
class c1066 { notify { 'n1066': } }
class c1067 { notify { 'n1067': } }
class c1068 { notify { 'n1068': } }
class c1069 { notify { 'n1069': } }
class c1070 { notify { 'n1070': } }
class c1071 { notify { 'n1071': } }
class c1072 { notify { 'n1072': } }
class c1073 { notify { 'n1073': } }
class c1074 { notify { 'n1074': } }
class c1075 { notify { 'n1075': } }
class c1076 { notify { 'n1076': } }
class c1077 { notify { 'n1077': } }
class c1078 { notify { 'n1078': } }
class c1079 { notify { 'n1079': } }
class c1080 { notify { 'n1080': } }
class c1081 { notify { 'n1081': } }
class c1082 { notify { 'n1082': } }
class c1083 { notify { 'n1083': } }
class c1084 { notify { 'n1084': } }
class c1085 { notify { 'n1085': } }
class c1086 { notify { 'n1086': } }
class c1087 { notify { 'n1087': } }
class c1088 { notify { 'n1088': } }
class c1089 { notify { 'n1089': } }
class c1090 { notify { 'n1090': } }
class c1091 { notify { 'n1091': } }
class c1092 { notify { 'n1092': } }
class c1093 { notify { 'n1093': } }
class c1094 { notify { 'n1094': } }
class c1095 { notify { 'n1095': } }
class c1096 { notify { 'n1096': } }
class c1097 { notify { 'n1097': } }
class c1098 { notify { 'n1098': } }
class c1099 { notify { 'n1099': } }
class c1100 { notify { 'n1100': } }
class c1101 { notify { 'n1101': } }
class c1102 { notify { 'n1102': } }
class c1103 { notify { 'n1103': } }
class c1104 { notify { 'n1104': } }
class c1105 { notify { 'n1105': } }
class c1106 { notify { 'n1106': } }
class c1107 { notify { 'n1107': } }
class c1108 { notify { 'n1108': } }
class c1109 { notify { 'n1109': } }
class c1110 { notify { 'n1110': } }
class c1111 { notify { 'n1111': } }
class c1112 { notify { 'n1112': } }
class c1113 { notify { 'n1113': } }
class c1114 { notify { 'n1114': } }
class c1115 { notify { 'n1115': } }
class c1116 { notify { 'n1116': } }
class c1117 { notify { 'n1117': } }
class c1118 { notify { 'n1118': } }
class c1119 { notify { 'n1119': } }
class c1120 { notify { 'n1120': } }
class c1121 { notify { 'n1121': } }
class c1122 { notify { 'n1122': } }
class c1123 { notify { 'n1123': } }
class c1124 { notify { 'n1124': } }
class c1125 { notify { 'n1125': } }
class c1126 { notify { 'n1126': } }
class c1127 { notify { 'n1127': } }
class c1128 { notify { 'n1128': } }
class c1129 { notify { 'n1129': } }
class c1130 { notify { 'n1130': } }
class c1131 { notify { 'n1131': } }
class c1132 { notify { 'n1132': } }
class c1133 { notify { 'n1133': } }
class c1134 { notify { 'n1134': } }
class c1135 { notify { 'n1135': } }
class c1136 { notify { 'n1136': } }
class c1137 { notify { 'n1137': } }
class c1138 { notify { 'n1138': } }
class c1139 { notify { 'n1139': } }
class c1140 { notify { 'n1140': } }
class c1141 { notify { 'n1141': } }
class c1142 { notify { 'n1142': } }
class c1143 { notify { 'n1143': } }
class c1144 { notify { 'n1144': } }
class c1145 { notify { 'n1145': } }
class c1146 { notify { 'n1146': } }
class c1147 { notify { 'n1147': } }
class c1148 { notify { 'n1148': } }
class c1149 { notify { 'n1149': } }
class c1150 { notify { 'n1150': } }
class c1151 { notify { 'n1151': } }
class c1152 { notify { 'n1152': } }
class c1153 { notify { 'n1153': } }
class c1154 { notify { 'n1154': } }
class c1155 { notify { 'n1155': } }
class c1156 { notify { 'n1156': } }
class c1157 { notify { 'n1157': } }
class c1158 { notify { 'n1158': } }
class c1159 { notify { 'n1159': } }
class c1160 { notify { 'n1160': } }
class c1161 { notify { 'n1161': } }
class c1162 { notify { 'n1162': } }
class c1163 { notify { 'n1163': } }
class c1164 { notify { 'n1164': } }
class c1165 { notify { 'n1165': } }
class c1166 { notify { 'n1166': } }
class c1167 { notify { 'n1167': } }
class c1168 { notify { 'n1168': } }
class c1169 { notify { 'n1169': } }
class c1170 { notify { 'n1170': } }
class c1171 { notify { 'n1171': } }
class c1172 { notify { 'n1172': } }
class c1173 { notify { 'n1173': } }
class c1174 { notify { 'n1174': } }
class c1175 { notify { 'n1175': } }
class c1176 { notify { 'n1176': } }
class c1177 { notify { 'n1177': } }
class c1178 { notify { 'n1178': } }
class c1179 { notify { 'n1179': } }
class c1180 { notify { 'n1180': } }
class c1181 { notify { 'n1181': } }
class c1182 { notify { 'n1182': } }
class c1183 { notify { 'n1183': } }
class c1184 { notify { 'n1184': } }
class c1185 { notify { 'n1185': } }
class c1186 { notify { 'n1186': } }
class c1187 { notify { 'n1187': } }
class c1188 { notify { 'n1188': } }
class c1189 { notify { 'n1189': } }
class c1190 { notify { 'n1190': } }
class c1191 { notify { 'n1191': } }
class c1192 { notify { 'n1192': } }
class c1193 { notify { 'n1193': } }
class c1194 { notify { 'n1194': } }
class c1195 { notify { 'n1195': } }
class c1196 { notify { 'n1196': } }
class c1197 { notify { 'n1197': } }
class c1198 { notify { 'n1198': } }
class c1199 { notify { 'n1199': } }
class c1200 { notify { 'n1200': } }
class c1201 { notify { 'n1201': } }
class c1202 { notify { 'n1202': } }
class c1203 { notify { 'n1203': } }
class c1204 { notify { 'n1204': } }
class c1205 { notify { 'n1205': } }
class c1206 { notify { 'n1206': } }
class c1207 { notify { 'n1207': } }
class c1208 { notify { 'n1208': } }
class c1209 { notify { 'n1209': } }
class c1210 { notify { 'n1210': } }
class c1211 { notify { 'n1211': } }
class c1212 { notify { 'n1212': } }
class c1213 { notify { 'n1213': } }
class c1214 { notify { 'n1214': } }
class c1215 { notify { 'n1215': } }
class c1216 { notify { 'n1216': } }
class c1217 { notify { 'n1217': } }
class c1218 { notify { 'n1218': } }
class c1219 { notify { 'n1219': } }
class c1220 { notify { 'n1220': } }
class c1221 { notify { 'n1221': } }
class c1222 { notify { 'n1222': } }
class c1223 { notify { 'n1223': } }
class c1224 { notify { 'n1224': } }
class c1225 { notify { 'n1225': } }
class c1226 { notify { 'n1226': } }
class c1227 { notify { 'n1227': } }
class c1228 { notify { 'n1228': } }
class c1229 { notify { 'n1229': } }
class c1230 { notify { 'n1230': } }
class c1231 { notify { 'n1231': } }
class c1232 { notify { 'n1232': } }
class c1233 { notify { 'n1233': } }
class c1234 { notify { 'n1234': } }
class c1235 { notify { 'n1235': } }
class c1236 { notify { 'n1236': } }
class c1237 { notify { 'n1237': } }
class c1238 { notify { 'n1238': } }
class c1239 { notify { 'n1239': } }
class c1240 { notify { 'n1240': } }
class c1241 { notify { 'n1241': } }
class c1242 { notify { 'n1242': } }
class c1243 { notify { 'n1243': } }
class c1244 { notify { 'n1244': } }
class c1245 { notify { 'n1245': } }
class c1246 { notify { 'n1246': } }
class c1247 { notify { 'n1247': } }
class c1248 { notify { 'n1248': } }
class c1249 { notify { 'n1249': } }
class c1250 { notify { 'n1250': } }
class c1251 { notify { 'n1251': } }
class c1252 { notify { 'n1252': } }
class c1253 { notify { 'n1253': } }
class c1254 { notify { 'n1254': } }
class c1255 { notify { 'n1255': } }
class c1256 { notify { 'n1256': } }
class c1257 { notify { 'n1257': } }
class c1258 { notify { 'n1258': } }
class c1259 { notify { 'n1259': } }
class c1260 { notify { 'n1260': } }
class c1261 { notify { 'n1261': } }
class c1262 { notify { 'n1262': } }
class c1263 { notify { 'n1263': } }
class c1264 { notify { 'n1264': } }
class c1265 { notify { 'n1265': } }
class c1266 { notify { 'n1266': } }
class c1267 { notify { 'n1267': } }
class c1268 { notify { 'n1268': } }
class c1269 { notify { 'n1269': } }
class c1270 { notify { 'n1270': } }
class c1271 { notify { 'n1271': } }
class c1272 { notify { 'n1272': } }
class c1273 { notify { 'n1273': } }
class c1274 { notify { 'n1274': } }
class c1275 { notify { 'n1275': } }
class c1276 { notify { 'n1276': } }
class c1277 { notify { 'n1277': } }
class c1278 { notify { 'n1278': } }
class c1279 { notify { 'n1279': } }
class c1280 { notify { 'n1280': } }
class c1281 { notify { 'n1281': } }
class c1282 { notify { 'n1282': } }
class c1283 { notify { 'n1283': } }
class c1284 { notify { 'n1284': } }
class c1285 { notify { 'n1285': } }
class c1286 { notify { 'n1286': } }
class c1287 { notify { 'n1287': } }
class c1288 { notify { 'n1288': } }
class c1289 { notify { 'n1289': } }
class c1290 { notify { 'n1290': } }
class c1291 { notify { 'n1291': } }
class c1292 { notify { 'n1292': } }
class c1293 { notify { 'n1293': } }
class c1294 { notify { 'n1294': } }
class c1295 { notify { 'n1295': } }
class c1296 { notify { 'n1296': } }
class c1297 { notify { 'n1297': } }
class c1298 { notify { 'n1298': } }
class c1299 { notify { 'n1299': } }
class c1300 { notify { 'n1300': } }
class c1301 { notify { 'n1301': } }
class c1302 { notify { 'n1302': } }
class c1303 { notify { 'n1303': } }
class c1304 { notify { 'n1304': } }
class c1305 { notify { 'n1305': } }
class c1306 { notify { 'n1306': } }
class c1307 { notify { 'n1307': } }
class c1308 { notify { 'n1308': } }
class c1309 { notify { 'n1309': } }
class c1310 { notify { 'n1310': } }
class c1311 { notify { 'n1311': } }
class c1312 { notify { 'n1312': } }
class c1313 { notify { 'n1313': } }
class c1314 { notify { 'n1314': } }
class c1315 { notify { 'n1315': } }
class c1316 { notify { 'n1316': } }
class c1317 { notify { 'n1317': } }
class c1318 { notify { 'n1318': } }
class c1319 { notify { 'n1319': } }
class c1320 { notify { 'n1320': } }
class c1321 { notify { 'n1321': } }
class c1322 { notify { 'n1322': } }
class c1323 { notify { 'n1323': } }
class c1324 { notify { 'n1324': } }
class c1325 { notify { 'n1325': } }
class c1326 { notify { 'n1326': } }
class c1327 { notify { 'n1327': } }
class c1328 { notify { 'n1328': } }
class c1329 { notify { 'n1329': } }
class c1330 { notify { 'n1330': } }
class c1331 { notify { 'n1331': } }
class c1332 { notify { 'n1332': } }
class c1333 { notify { 'n1333': } }
class c1334 { notify { 'n1334': } }
class c1335 { notify { 'n1335': } }
class c1336 { notify { 'n1336': } }
class c1337 { notify { 'n1337': } }
class c1338 { notify { 'n1338': } }
class c1339 { notify { 'n1339': } }
class c1340 { notify { 'n1340': } }
class c1341 { notify { 'n1341': } }
class c1342 { notify { 'n1342': } }
class c1343 { notify { 'n1343': } }
class c1344 { notify { 'n1344': } }
class c1345 { notify { 'n1345': } }
class c1346 { notify { 'n1346': } }
class c1347 { notify { 'n1347': } }
class c1348 { notify { 'n1348': } }
class c1349 { notify { 'n1349': } }
class c1350 { notify { 'n1350': } }
class c1351 { notify { 'n1351': } }
class c1352 { notify { 'n1352': } }
class c1353 { notify { 'n1353': } }
class c1354 { notify { 'n1354': } }
class c1355 { notify { 'n1355': } }
class c1356 { notify { 'n1356': } }
class c1357 { notify { 'n1357': } }
class c1358 { notify { 'n1358': } }
class c1359 { notify { 'n1359': } }
class c1360 { notify { 'n1360': } }
class c1361 { notify { 'n1361': } }
class c1362 { notify { 'n1362': } }
class c1363 { notify { 'n1363': } }
class c1364 { notify { 'n1364': } }
class c1365 { notify { 'n1365': } }
class c1366 { notify { 'n1366': } }
class c1367 { notify { 'n1367': } }
class c1368 { notify { 'n1368': } }
class c1369 { notify { 'n1369': } }
class c1370 { notify { 'n1370': } }
class c1371 { notify { 'n1371': } }
class c1372 { notify { 'n1372': } }
class c1373 { notify { 'n1373': } }
class c1374 { notify { 'n1374': } }
class c1375 { notify { 'n1375': } }
class c1376 { notify { 'n1376': } }
class c1377 { notify { 'n1377': } }
class c1378 { notify { 'n1378': } }
class c1379 { notify { 'n1379': } }
class c1380 { notify { 'n1380': } }
class c1381 { notify { 'n1381': } }
class c1382 { notify { 'n1382': } }
class c1383 { notify { 'n1383': } }
class c1384 { notify { 'n1384': } }
class c1385 { notify { 'n1385': } }
class c1386 { notify { 'n1386': } }
class c1387 { notify { 'n1387': } }
class c1388 { notify { 'n1388': } }
class c1389 { notify { 'n1389': } }
class c1390 { notify { 'n1390': } }
class c1391 { notify { 'n1391': } }
class c1392 { notify { 'n1392': } }
class c1393 { notify { 'n1393': } }
class c1394 { notify { 'n1394': } }
class c1395 { notify { 'n1395': } }
class c1396 { notify { 'n1396': } }
class c1397 { notify { 'n1397': } }
class c1398 { notify { 'n1398': } }
class c1399 { notify { 'n1399': } }
class c1400 { notify { 'n1400': } }
class c1401 { notify { 'n1401': } }
class c1402 { notify { 'n1402': } }
class c1403 { notify { 'n1403': } }
class c1404 { notify { 'n1404': } }
class c1405 { notify { 'n1405': } }
class c1406 { notify { 'n1406': } }
class c1407 { notify { 'n1407': } }
class c1408 { notify { 'n1408': } }
class c1409 { notify { 'n1409': } }
class c1410 { notify { 'n1410': } }
class c1411 { notify { 'n1411': } }
class c1412 { notify { 'n1412': } }
class c1413 { notify { 'n1413': } }
class c1414 { notify { 'n1414': } }
class c1415 { notify { 'n1415': } }
class c1416 { notify { 'n1416': } }
class c1417 { notify { 'n1417': } }
class c1418 { notify { 'n1418': } }
class c1419 { notify { 'n1419': } }
class c1420 { notify { 'n1420': } }
class c1421 { notify { 'n1421': } }
class c1422 { notify { 'n1422': } }
class c1423 { notify { 'n1423': } }
class c1424 { notify { 'n1424': } }
class c1425 { notify { 'n1425': } }
class c1426 { notify { 'n1426': } }
class c1427 { notify { 'n1427': } }
class c1428 { notify { 'n1428': } }
class c1429 { notify { 'n1429': } }
class c1430 { notify { 'n1430': } }
class c1431 { notify { 'n1431': } }
class c1432 { notify { 'n1432': } }
class c1433 { notify { 'n1433': } }
class c1434 { notify { 'n1434': } }
class c1435 { notify { 'n1435': } }
class c1436 { notify { 'n1436': } }
class c1437 { notify { 'n1437': } }
class c1438 { notify { 'n1438': } }
class c1439 { notify { 'n1439': } }
class c1440 { notify { 'n1440': } }
class c1441 { notify { 'n1441': } }
class c1442 { notify { 'n1442': } }
class c1443 { notify { 'n1443': } }
class c1444 { notify { 'n1444': } }
class c1445 { notify { 'n1445': } }
class c1446 { notify { 'n1446': } }
class c1447 { notify { 'n1447': } }
class c1448 { notify { 'n1448': } }
class c1449 { notify { 'n1449': } }
class c1450 { notify { 'n1450': } }
class c1451 { notify { 'n1451': } }
class c1452 { notify { 'n1452': } }
class c1453 { notify { 'n1453': } }
class c1454 { notify { 'n1454': } }
class c1455 { notify { 'n1455': } }
class c1456 { notify { 'n1456': } }
class c1457 { notify { 'n1457': } }
class c1458 { notify { 'n1458': } }
class c1459 { notify { 'n1459': } }
class c1460 { notify { 'n1460': } }
class c1461 { notify { 'n1461': } }
class c1462 { notify { 'n1462': } }
class c1463 { notify { 'n1463': } }
class c1464 { notify { 'n1464': } }
class c1465 { notify { 'n1465': } }
class c1466 { notify { 'n1466': } }
class c1467 { notify { 'n1467': } }
class c1468 { notify { 'n1468': } }
class c1469 { notify { 'n1469': } }
class c1470 { notify { 'n1470': } }
class c1471 { notify { 'n1471': } }
class c1472 { notify { 'n1472': } }
class c1473 { notify { 'n1473': } }
class c1474 { notify { 'n1474': } }
class c1475 { notify { 'n1475': } }
class c1476 { notify { 'n1476': } }
class c1477 { notify { 'n1477': } }
class c1478 { notify { 'n1478': } }
class c1479 { notify { 'n1479': } }
class c1480 { notify { 'n1480': } }
class c1481 { notify { 'n1481': } }
class c1482 { notify { 'n1482': } }
class c1483 { notify { 'n1483': } }
class c1484 { notify { 'n1484': } }
class c1485 { notify { 'n1485': } }
class c1486 { notify { 'n1486': } }
class c1487 { notify { 'n1487': } }
class c1488 { notify { 'n1488': } }
class c1489 { notify { 'n1489': } }
class c1490 { notify { 'n1490': } }
class c1491 { notify { 'n1491': } }
class c1492 { notify { 'n1492': } }
class c1493 { notify { 'n1493': } }
class c1494 { notify { 'n1494': } }
class c1495 { notify { 'n1495': } }
class c1496 { notify { 'n1496': } }
class c1497 { notify { 'n1497': } }
class c1498 { notify { 'n1498': } }
class c1499 { notify { 'n1499': } }
stage { 's0': before => Stage['s1'] }
stage { 's1': before => Stage['s2'] }
stage { 's2': before => Stage['s3'] }
stage { 's3': before => Stage['s4'] }
stage { 's4': before => Stage['s5'] }
stage { 's5': before => Stage['s6'] }
stage { 's6': before => Stage['s7'] }
stage { 's7': before => Stage['s8'] }
stage { 's8': before => Stage['s9'] }
stage { 's9': before => Stage['s10'] }
stage { 's10': before => Stage['s11'] }
stage { 's11': before => Stage['s12'] }
stage { 's12': before => Stage['s13'] }
stage { 's13': before => Stage['s14'] }
stage { 's14': before => Stage['s15'] }
stage { 's15': before => Stage['s16'] }
stage { 's16': before => Stage['s17'] }
stage { 's17': before => Stage['s18'] }
stage { 's18': before => Stage['s19'] }
stage { 's19': before => Stage['s20'] }
stage { 's20': before => Stage['s21'] }
stage { 's21': before => Stage['s22'] }
stage { 's22': before => Stage['s23'] }
stage { 's23': before => Stage['s24'] }
stage { 's24': before => Stage['s25'] }
stage { 's25': before => Stage['s26'] }
stage { 's26': before => Stage['s27'] }
stage { 's27': before => Stage['s28'] }
stage { 's28': before => Stage['s29'] }
stage { 's29': before => Stage['s30'] }
stage { 's30': before => Stage['s31'] }
stage { 's31': before => Stage['s32'] }
stage { 's32': before => Stage['s33'] }
stage { 's33': before => Stage['s34'] }
stage { 's34': before => Stage['s35'] }
stage { 's35': before => Stage['s36'] }
stage { 's36': before => Stage['s37'] }
stage { 's37': before => Stage['s38'] }
stage { 's38': before => Stage['s39'] }
stage { 's39': before => Stage['s40'] }
stage { 's40': before => Stage['s41'] }
stage { 's41': before => Stage['s42'] }
stage { 's42': before => Stage['s43'] }
stage { 's43': before => Stage['s44'] }
stage { 's44': before => Stage['s45'] }
stage { 's45': before => Stage['s46'] }
stage { 's46': before => Stage['s47'] }
stage { 's47': before => Stage['s48'] }
stage { 's48': before => Stage['s49'] }
stage { 's49': before => Stage['s50'] }
stage { 's50': before => Stage['s51'] }
stage { 's51': before => Stage['s52'] }
stage { 's52': before => Stage['s53'] }
stage { 's53': before => Stage['s54'] }
stage { 's54': before => Stage['s55'] }
stage { 's55': before => Stage['s56'] }
stage { 's56': before => Stage['s57'] }
stage { 's57': before => Stage['s58'] }
stage { 's58': before => Stage['s59'] }
stage { 's59': before => Stage['s60'] }
stage { 's60': before => Stage['s61'] }
stage { 's61': before => Stage['s62'] }
stage { 's62': before => Stage['s63'] }
stage { 's63': before => Stage['s64'] }
stage { 's64': before => Stage['s65'] }
stage { 's65': before => Stage['s66'] }
stage { 's66': before => Stage['s67'] }
stage { 's67': before => Stage['s68'] }
stage { 's68': before => Stage['s69'] }
stage { 's69': before => Stage['s70'] }
stage { 's70': before => Stage['s71'] }
stage { 's71': before => Stage['s72'] }
stage { 's72': before => Stage['s73'] }
stage { 's73': before => Stage['s74'] }
stage { 's74': before => Stage['s75'] }
stage { 's75': before => Stage['s76'] }
stage { 's76': before => Stage['s77'] }
stage { 's77': before => Stage['s78'] }
stage { 's78': before => Stage['s79'] }
stage { 's79': before => Stage['s80'] }
stage { 's80': before => Stage['s81'] }
stage { 's81': before => Stage['s82'] }
stage { 's82': before => Stage['s83'] }
stage { 's83': before => Stage['s84'] }
stage { 's84': before => Stage['s85'] }
stage { 's85': before => Stage['s86'] }
stage { 's86': before => Stage['s87'] }
stage { 's87': before => Stage['s88'] }
stage { 's88': before => Stage['s89'] }
stage { 's89': before => Stage['s90'] }
stage { 's90': before => Stage['s91'] }
stage { 's91': before => Stage['s92'] }
stage { 's92': before => Stage['s93'] }
stage { 's93': before => Stage['s94'] }
stage { 's94': before => Stage['s95'] }
stage { 's95': before => Stage['s96'] }
stage { 's96': before => Stage['s97'] }
stage { 's97': before => Stage['s98'] }
stage { 's98': before => Stage['s99'] }
stage { 's99': before => Stage['s100'] }
stage { 's100': before => Stage['s101'] }
stage { 's101': before => Stage['s102'] }
stage { 's102': before => Stage['s103'] }
stage { 's103': before => Stage['s104'] }
stage { 's104': before => Stage['s105'] }
stage { 's105': before => Stage['s106'] }
stage { 's106': before => Stage['s107'] }
stage { 's107': before => Stage['s108'] }
stage { 's108': before => Stage['s109'] }
stage { 's109': before => Stage['s110'] }
stage { 's110': before => Stage['s111'] }
stage { 's111': before => Stage['s112'] }
stage { 's112': before => Stage['s113'] }
stage { 's113': before => Stage['s114'] }
stage { 's114': before => Stage['s115'] }
stage { 's115': before => Stage['s116'] }
stage { 's116': before => Stage['s117'] }
stage { 's117': before => Stage['s118'] }
stage { 's118': before => Stage['s119'] }
stage { 's119': before => Stage['s120'] }
stage { 's120': before => Stage['s121'] }
stage { 's121': before => Stage['s122'] }
stage { 's122': before => Stage['s123'] }
stage { 's123': before => Stage['s124'] }
stage { 's124': before => Stage['s125'] }
stage { 's125': before => Stage['s126'] }
stage { 's126': before => Stage['s127'] }
stage { 's127': before => Stage['s128'] }
stage { 's128': before => Stage['s129'] }
stage { 's129': before => Stage['s130'] }
stage { 's130': before => Stage['s131'] }
stage { 's131': before => Stage['s132'] }
stage { 's132': before => Stage['s133'] }
stage { 's133': before => Stage['s134'] }
stage { 's134': before => Stage['s135'] }
stage { 's135': before => Stage['s136'] }
stage { 's136': before => Stage['s137'] }
stage { 's137': before => Stage['s138'] }
stage { 's138': before => Stage['s139'] }
stage { 's139': before => Stage['s140'] }
stage { 's140': before => Stage['s141'] }
stage { 's141': before => Stage['s142'] }
stage { 's142': before => Stage['s143'] }
stage { 's143': before => Stage['s144'] }
stage { 's144': before => Stage['s145'] }
stage { 's145': before => Stage['s146'] }
stage { 's146': before => Stage['s147'] }
stage { 's147': before => Stage['s148'] }
stage { 's148': before => Stage['s149'] }
stage { 's149': before => Stage['s150'] }
stage { 's150': before => Stage['s151'] }
stage { 's151': before => Stage['s152'] }
stage { 's152': before => Stage['s153'] }
stage { 's153': before => Stage['s154'] }
stage { 's154': before => Stage['s155'] }
stage { 's155': before => Stage['s156'] }
stage { 's156': before => Stage['s157'] }
stage { 's157': before => Stage['s158'] }
stage { 's158': before => Stage['s159'] }
stage { 's159': before => Stage['s160'] }
stage { 's160': before => Stage['s161'] }
stage { 's161': before => Stage['s162'] }
stage { 's162': before => Stage['s163'] }
stage { 's163': before => Stage['s164'] }
stage { 's164': before => Stage['s165'] }
stage { 's165': before => Stage['s166'] }
stage { 's166': before => Stage['s167'] }
stage { 's167': before => Stage['s168'] }
stage { 's168': before => Stage['s169'] }
stage { 's169': before => Stage['s170'] }
stage { 's170': before => Stage['s171'] }
stage { 's171': before => Stage['s172'] }
stage { 's172': before => Stage['s173'] }
stage { 's173': before => Stage['s174'] }
stage { 's174': before => Stage['s175'] }
stage { 's175': before => Stage['s176'] }
stage { 's176': before => Stage['s177'] }
stage { 's177': before => Stage['s178'] }
stage { 's178': before => Stage['s179'] }
stage { 's179': before => Stage['s180'] }
stage { 's180': before => Stage['s181'] }
stage { 's181': before => Stage['s182'] }
stage { 's182': before => Stage['s183'] }
stage { 's183': before => Stage['s184'] }
stage { 's184': before => Stage['s185'] }
stage { 's185': before => Stage['s186'] }
stage { 's186': before => Stage['s187'] }
stage { 's187': before => Stage['s188'] }
stage { 's188': before => Stage['s189'] }
stage { 's189': before => Stage['s190'] }
stage { 's190': before => Stage['s191'] }
stage { 's191': before => Stage['s192'] }
stage { 's192': before => Stage['s193'] }
stage { 's193': before => Stage['s194'] }
stage { 's194': before => Stage['s195'] }
stage { 's195': before => Stage['s196'] }
stage { 's196': before => Stage['s197'] }
stage { 's197': before => Stage['s198'] }
stage { 's198': before => Stage['s199'] }
stage { 's199': before => Stage['s200'] }
stage { 's200': before => Stage['s201'] }
stage { 's201': before => Stage['s202'] }
stage { 's202': before => Stage['s203'] }
stage { 's203': before => Stage['s204'] }
stage { 's204': before => Stage['s205'] }
stage { 's205': before => Stage['s206'] }
stage { 's206': before => Stage['s207'] }
stage { 's207': before => Stage['s208'] }
stage { 's208': before => Stage['s209'] }
stage { 's209': before => Stage['s210'] }
stage { 's210': before => Stage['s211'] }
stage { 's211': before => Stage['s212'] }
stage { 's212': before => Stage['s213'] }
stage { 's213': before => Stage['s214'] }
stage { 's214': before => Stage['s215'] }
stage { 's215': before => Stage['s216'] }
stage { 's216': before => Stage['s217'] }
stage { 's217': before => Stage['s218'] }
stage { 's218': before => Stage['s219'] }
stage { 's219': before => Stage['s220'] }
stage { 's220': before => Stage['s221'] }
stage { 's221': before => Stage['s222'] }
stage { 's222': before => Stage['s223'] }
stage { 's223': before => Stage['s224'] }
stage { 's224': before => Stage['s225'] }
stage { 's225': before => Stage['s226'] }
stage { 's226': before => Stage['s227'] }
stage { 's227': before => Stage['s228'] }
stage { 's228': before => Stage['s229'] }
stage { 's229': before => Stage['s230'] }
stage { 's230': before => Stage['s231'] }
stage { 's231': before => Stage['s232'] }
stage { 's232': before => Stage['s233'] }
stage { 's233': before => Stage['s234'] }
stage { 's234': before => Stage['s235'] }
stage { 's235': before => Stage['s236'] }
stage { 's236': before => Stage['s237'] }
stage { 's237': before => Stage['s238'] }
stage { 's238': before => Stage['s239'] }
stage { 's239': before => Stage['s240'] }
stage { 's240': before => Stage['s241'] }
stage { 's241': before => Stage['s242'] }
stage { 's242': before => Stage['s243'] }
stage { 's243': before => Stage['s244'] }
stage { 's244': before => Stage['s245'] }
stage { 's245': before => Stage['s246'] }
stage { 's246': before => Stage['s247'] }
stage { 's247': before => Stage['s248'] }
stage { 's248': before => Stage['s249'] }
stage { 's249': before => Stage['s250'] }
stage { 's250': before => Stage['s251'] }
stage { 's251': before => Stage['s252'] }
stage { 's252': before => Stage['s253'] }
stage { 's253': before => Stage['s254'] }
stage { 's254': before => Stage['s255'] }
stage { 's255': before => Stage['s256'] }
stage { 's256': before => Stage['s257'] }
stage { 's257': before => Stage['s258'] }
stage { 's258': before => Stage['s259'] }
stage { 's259': before => Stage['s260'] }
stage { 's260': before => Stage['s261'] }
stage { 's261': before => Stage['s262'] }
stage { 's262': before => Stage['s263'] }
stage { 's263': before => Stage['s264'] }
stage { 's264': before => Stage['s265'] }
stage { 's265': before => Stage['s266'] }
stage { 's266': before => Stage['s267'] }
stage { 's267': before => Stage['s268'] }
stage { 's268': before => Stage['s269'] }
stage { 's269': before => Stage['s270'] }
stage { 's270': before => Stage['s271'] }
stage { 's271': before => Stage['s272'] }
stage { 's272': before => Stage['s273'] }
stage { 's273': before => Stage['s274'] }
stage { 's274': before => Stage['s275'] }
stage { 's275': before => Stage['s276'] }
stage { 's276': before => Stage['s277'] }
stage { 's277': before => Stage['s278'] }
stage { 's278': before => Stage['s279'] }
stage { 's279': before => Stage['s280'] }
stage { 's280': before => Stage['s281'] }
stage { 's281': before => Stage['s282'] }
stage { 's282': before => Stage['s283'] }
stage { 's283': before => Stage['s284'] }
stage { 's284': before => Stage['s285'] }
stage { 's285': before => Stage['s286'] }
stage { 's286': before => Stage['s287'] }
stage { 's287': before => Stage['s288'] }
stage { 's288': before => Stage['s289'] }
stage { 's289': before => Stage['s290'] }
stage { 's290': before => Stage['s291'] }
stage { 's291': before => Stage['s292'] }
stage { 's292': before => Stage['s293'] }
stage { 's293': before => Stage['s294'] }
stage { 's294': before => Stage['s295'] }
stage { 's295': before => Stage['s296'] }
stage { 's296': before => Stage['s297'] }
stage { 's297': before => Stage['s298'] }
stage { 's298': before => Stage['s299'] }
stage { 's299': before => Stage['s300'] }
stage { 's300': before => Stage['s301'] }
stage { 's301': before => Stage['s302'] }
stage { 's302': before => Stage['s303'] }
stage { 's303': before => Stage['s304'] }
stage { 's304': before => Stage['s305'] }
stage { 's305': before => Stage['s306'] }
stage { 's306': before => Stage['s307'] }
stage { 's307': before => Stage['s308'] }
stage { 's308': before => Stage['s309'] }
stage { 's309': before => Stage['s310'] }
stage { 's310': before => Stage['s311'] }
stage { 's311': before => Stage['s312'] }
stage { 's312': before => Stage['s313'] }
stage { 's313': before => Stage['s314'] }
stage { 's314': before => Stage['s315'] }
stage { 's315': before => Stage['s316'] }
stage { 's316': before => Stage['s317'] }
stage { 's317': before => Stage['s318'] }
stage { 's318': before => Stage['s319'] }
stage { 's319': before => Stage['s320'] }
stage { 's320': before => Stage['s321'] }
stage { 's321': before => Stage['s322'] }
stage { 's322': before => Stage['s323'] }
stage { 's323': before => Stage['s324'] }
stage { 's324': before => Stage['s325'] }
stage { 's325': before => Stage['s326'] }
stage { 's326': before => Stage['s327'] }
stage { 's327': before => Stage['s328'] }
stage { 's328': before => Stage['s329'] }
stage { 's329': before => Stage['s330'] }
stage { 's330': before => Stage['s331'] }
stage { 's331': before => Stage['s332'] }
stage { 's332': before => Stage['s333'] }
stage { 's333': before => Stage['s334'] }
stage { 's334': before => Stage['s335'] }
stage { 's335': before => Stage['s336'] }
stage { 's336': before => Stage['s337'] }
stage { 's337': before => Stage['s338'] }
stage { 's338': before => Stage['s339'] }
stage { 's339': before => Stage['s340'] }
stage { 's340': before => Stage['s341'] }
stage { 's341': before => Stage['s342'] }
stage { 's342': before => Stage['s343'] }
stage { 's343': before => Stage['s344'] }
stage { 's344': before => Stage['s345'] }
stage { 's345': before => Stage['s346'] }
stage { 's346': before => Stage['s347'] }
stage { 's347': before => Stage['s348'] }
stage { 's348': before => Stage['s349'] }
stage { 's349': before => Stage['s350'] }
stage { 's350': before => Stage['s351'] }
stage { 's351': before => Stage['s352'] }
stage { 's352': before => Stage['s353'] }
stage { 's353': before => Stage['s354'] }
stage { 's354': before => Stage['s355'] }
stage { 's355': before => Stage['s356'] }
stage { 's356': before => Stage['s357'] }
stage { 's357': before => Stage['s358'] }
stage { 's358': before => Stage['s359'] }
stage { 's359': before => Stage['s360'] }
stage { 's360': before => Stage['s361'] }
stage { 's361': before => Stage['s362'] }
stage { 's362': before => Stage['s363'] }
stage { 's363': before => Stage['s364'] }
stage { 's364': before => Stage['s365'] }
stage { 's365': before => Stage['s366'] }
stage { 's366': before => Stage['s367'] }
stage { 's367': before => Stage['s368'] }
stage { 's368': before => Stage['s369'] }
stage { 's369': before => Stage['s370'] }
stage { 's370': before => Stage['s371'] }
stage { 's371': before => Stage['s372'] }
stage { 's372': before => Stage['s373'] }
stage { 's373': before => Stage['s374'] }
stage { 's374': before => Stage['s375'] }
stage { 's375': before => Stage['s376'] }
stage { 's376': before => Stage['s377'] }
stage { 's377': before => Stage['s378'] }
stage { 's378': before => Stage['s379'] }
stage { 's379': before => Stage['s380'] }
stage { 's380': before => Stage['s381'] }
stage { 's381': before => Stage['s382'] }
stage { 's382': before => Stage['s383'] }
stage { 's383': before => Stage['s384'] }
stage { 's384': before => Stage['s385'] }
stage { 's385': before => Stage['s386'] }
stage { 's386': before => Stage['s387'] }
stage { 's387': before => Stage['s388'] }
stage { 's388': before => Stage['s389'] }
stage { 's389': before => Stage['s390'] }
stage { 's390': before => Stage['s391'] }
stage { 's391': before => Stage['s392'] }
stage { 's392': before => Stage['s393'] }
stage { 's393': before => Stage['s394'] }
stage { 's394': before => Stage['s395'] }
stage { 's395': before => Stage['s396'] }
stage { 's396': before => Stage['s397'] }
stage { 's397': before => Stage['s398'] }
stage { 's398': before => Stage['s399'] }
stage { 's399': before => Stage['s400'] }
stage { 's400': before => Stage['s401'] }
stage { 's401': before => Stage['s402'] }
stage { 's402': before => Stage['s403'] }
stage { 's403': before => Stage['s404'] }
stage { 's404': before => Stage['s405'] }
stage { 's405': before => Stage['s406'] }
stage { 's406': before => Stage['s407'] }
stage { 's407': before => Stage['s408'] }
stage { 's408': before => Stage['s409'] }
stage { 's409': before => Stage['s410'] }
stage { 's410': before => Stage['s411'] }
stage { 's411': before => Stage['s412'] }
stage { 's412': before => Stage['s413'] }
stage { 's413': before => Stage['s414'] }
stage { 's414': before => Stage['s415'] }
stage { 's415': before => Stage['s416'] }
stage { 's416': before => Stage['s417'] }
stage { 's417': before => Stage['s418'] }
stage { 's418': before => Stage['s419'] }
stage { 's419': before => Stage['s420'] }
stage { 's420': before => Stage['s421'] }
stage { 's421': before => Stage['s422'] }
stage { 's422': before => Stage['s423'] }
stage { 's423': before => Stage['s424'] }
stage { 's424': before => Stage['s425'] }
stage { 's425': before => Stage['s426'] }
stage { 's426': before => Stage['s427'] }
stage { 's427': before => Stage['s428'] }
stage { 's428': before => Stage['s429'] }
stage { 's429': before => Stage['s430'] }
stage { 's430': before => Stage['s431'] }
stage { 's431': before => Stage['s432'] }
stage { 's432': before => Stage['s433'] }
stage { 's433': before => Stage['s434'] }
stage { 's434': before => Stage['s435'] }
stage { 's435': before => Stage['s436'] }
stage { 's436': before => Stage['s437'] }
stage { 's437': before => Stage['s438'] }
stage { 's438': before => Stage['s439'] }
stage { 's439': before => Stage['s440'] }
stage { 's440': before => Stage['s441'] }
stage { 's441': before => Stage['s442'] }
stage { 's442': before => Stage['s443'] }
stage { 's443': before => Stage['s444'] }
stage { 's444': before => Stage['s445'] }
stage { 's445': before => Stage['s446'] }
stage { 's446': before => Stage['s447'] }
stage { 's447': before => Stage['s448'] }
stage { 's448': before => Stage['s449'] }
stage { 's449': before => Stage['s450'] }
stage { 's450': before => Stage['s451'] }
stage { 's451': before => Stage['s452'] }
stage { 's452': before => Stage['s453'] }
stage { 's453': before => Stage['s454'] }
stage { 's454': before => Stage['s455'] }
stage { 's455': before => Stage['s456'] }
stage { 's456': before => Stage['s457'] }
stage { 's457': before => Stage['s458'] }
stage { 's458': before => Stage['s459'] }
stage { 's459': before => Stage['s460'] }
stage { 's460': before => Stage['s461'] }
stage { 's461': before => Stage['s462'] }
stage { 's462': before => Stage['s463'] }
stage { 's463': before => Stage['s464'] }
stage { 's464': before => Stage['s465'] }
stage { 's465': before => Stage['s466'] }
stage { 's466': before => Stage['s467'] }
stage { 's467': before => Stage['s468'] }
stage { 's468': before => Stage['s469'] }
stage { 's469': before => Stage['s470'] }
stage { 's470': before => Stage['s471'] }
stage { 's471': before => Stage['s472'] }
stage { 's472': before => Stage['s473'] }
stage { 's473': before => Stage['s474'] }
stage { 's474': before => Stage['s475'] }
stage { 's475': before => Stage['s476'] }
stage { 's476': before => Stage['s477'] }
stage { 's477': before => Stage['s478'] }
stage { 's478': before => Stage['s479'] }
stage { 's479': before => Stage['s480'] }
stage { 's480': before => Stage['s481'] }
stage { 's481': before => Stage['s482'] }
stage { 's482': before => Stage['s483'] }
stage { 's483': before => Stage['s484'] }
stage { 's484': before => Stage['s485'] }
stage { 's485': before => Stage['s486'] }
stage { 's486': before => Stage['s487'] }
stage { 's487': before => Stage['s488'] }
stage { 's488': before => Stage['s489'] }
stage { 's489': before => Stage['s490'] }
stage { 's490': before => Stage['s491'] }
stage { 's491': before => Stage['s492'] }
stage { 's492': before => Stage['s493'] }
stage { 's493': before => Stage['s494'] }
stage { 's494': before => Stage['s495'] }
stage { 's495': before => Stage['s496'] }
stage { 's496': before => Stage['s497'] }
stage { 's497': before => Stage['s498'] }
stage { 's498': before => Stage['s499'] }
stage { 's499': before => Stage['s500'] }
stage { 's500': before => Stage['s501'] }
stage { 's501': before => Stage['s502'] }
stage { 's502': before => Stage['s503'] }
stage { 's503': before => Stage['s504'] }
stage { 's504': before => Stage['s505'] }
stage { 's505': before => Stage['s506'] }
stage { 's506': before => Stage['s507'] }
stage { 's507': before => Stage['s508'] }
stage { 's508': before => Stage['s509'] }
stage { 's509': before => Stage['s510'] }
stage { 's510': before => Stage['s511'] }
stage { 's511': before => Stage['s512'] }
stage { 's512': before => Stage['s513'] }
stage { 's513': before => Stage['s514'] }
stage { 's514': before => Stage['s515'] }
stage { 's515': before => Stage['s516'] }
stage { 's516': before => Stage['s517'] }
stage { 's517': before => Stage['s518'] }
stage { 's518': before => Stage['s519'] }
stage { 's519': before => Stage['s520'] }
stage { 's520': before => Stage['s521'] }
stage { 's521': before => Stage['s522'] }
stage { 's522': before => Stage['s523'] }
stage { 's523': before => Stage['s524'] }
stage { 's524': before => Stage['s525'] }
stage { 's525': before => Stage['s526'] }
stage { 's526': before => Stage['s527'] }
stage { 's527': before => Stage['s528'] }
stage { 's528': before => Stage['s529'] }
stage { 's529': before => Stage['s530'] }
stage { 's530': before => Stage['s531'] }
stage { 's531': before => Stage['s532'] }
stage { 's532': before => Stage['s533'] }
stage { 's533': before => Stage['s534'] }
stage { 's534': before => Stage['s535'] }
stage { 's535': before => Stage['s536'] }
stage { 's536': before => Stage['s537'] }
stage { 's537': before => Stage['s538'] }
stage { 's538': before => Stage['s539'] }
stage { 's539': before => Stage['s540'] }
stage { 's540': before => Stage['s541'] }
stage { 's541': before => Stage['s542'] }
stage { 's542': before => Stage['s543'] }
stage { 's543': before => Stage['s544'] }
stage { 's544': before => Stage['s545'] }
stage { 's545': before => Stage['s546'] }
stage { 's546': before => Stage['s547'] }
stage { 's547': before => Stage['s548'] }
stage { 's548': before => Stage['s549'] }
stage { 's549': before => Stage['s550'] }
stage { 's550': before => Stage['s551'] }
stage { 's551': before => Stage['s552'] }
stage { 's552': before => Stage['s553'] }
stage { 's553': before => Stage['s554'] }
stage { 's554': before => Stage['s555'] }
stage { 's555': before => Stage['s556'] }
stage { 's556': before => Stage['s557'] }
stage { 's557': before => Stage['s558'] }
stage { 's558': before => Stage['s559'] }
stage { 's559': before => Stage['s560'] }
stage { 's560': before => Stage['s561'] }
stage { 's561': before => Stage['s562'] }
stage { 's562': before => Stage['s563'] }
stage { 's563': before => Stage['s564'] }
stage { 's564': before => Stage['s565'] }
stage { 's565': before => Stage['s566'] }
stage { 's566': before => Stage['s567'] }
stage { 's567': before => Stage['s568'] }
stage { 's568': before => Stage['s569'] }
stage { 's569': before => Stage['s570'] }
stage { 's570': before => Stage['s571'] }
stage { 's571': before => Stage['s572'] }
stage { 's572': before => Stage['s573'] }
stage { 's573': before => Stage['s574'] }
stage { 's574': before => Stage['s575'] }
stage { 's575': before => Stage['s576'] }
stage { 's576': before => Stage['s577'] }
stage { 's577': before => Stage['s578'] }
stage { 's578': before => Stage['s579'] }
stage { 's579': before => Stage['s580'] }
stage { 's580': before => Stage['s581'] }
stage { 's581': before => Stage['s582'] }
stage { 's582': before => Stage['s583'] }
stage { 's583': before => Stage['s584'] }
stage { 's584': before => Stage['s585'] }
stage { 's585': before => Stage['s586'] }
stage { 's586': before => Stage['s587'] }
stage { 's587': before => Stage['s588'] }
stage { 's588': before => Stage['s589'] }
stage { 's589': before => Stage['s590'] }
stage { 's590': before => Stage['s591'] }
stage { 's591': before => Stage['s592'] }
stage { 's592': before => Stage['s593'] }
stage { 's593': before => Stage['s594'] }
stage { 's594': before => Stage['s595'] }
stage { 's595': before => Stage['s596'] }
stage { 's596': before => Stage['s597'] }
stage { 's597': before => Stage['s598'] }
stage { 's598': before => Stage['s599'] }
stage { 's599': before => Stage['s600'] }
stage { 's600': before => Stage['s601'] }
stage { 's601': before => Stage['s602'] }
stage { 's602': before => Stage['s603'] }
stage { 's603': before => Stage['s604'] }
stage { 's604': before => Stage['s605'] }
stage { 's605': before => Stage['s606'] }
stage { 's606': before => Stage['s607'] }
stage { 's607': before => Stage['s608'] }
stage { 's608': before => Stage['s609'] }
stage { 's609': before => Stage['s610'] }
stage { 's610': before => Stage['s611'] }
stage { 's611': before => Stage['s612'] }
stage { 's612': before => Stage['s613'] }
stage { 's613': before => Stage['s614'] }
stage { 's614': before => Stage['s615'] }
stage { 's615': before => Stage['s616'] }
stage { 's616': before => Stage['s617'] }
stage { 's617': before => Stage['s618'] }
stage { 's618': before => Stage['s619'] }
stage { 's619': before => Stage['s620'] }
stage { 's620': before => Stage['s621'] }
stage { 's621': before => Stage['s622'] }
stage { 's622': before => Stage['s623'] }
stage { 's623': before => Stage['s624'] }
stage { 's624': before => Stage['s625'] }
stage { 's625': before => Stage['s626'] }
stage { 's626': before => Stage['s627'] }
stage { 's627': before => Stage['s628'] }
stage { 's628': before => Stage['s629'] }
stage { 's629': before => Stage['s630'] }
stage { 's630': before => Stage['s631'] }
stage { 's631': before => Stage['s632'] }
stage { 's632': before => Stage['s633'] }
stage { 's633': before => Stage['s634'] }
stage { 's634': before => Stage['s635'] }
stage { 's635': before => Stage['s636'] }
stage { 's636': before => Stage['s637'] }
stage { 's637': before => Stage['s638'] }
stage { 's638': before => Stage['s639'] }
stage { 's639': before => Stage['s640'] }
stage { 's640': before => Stage['s641'] }
stage { 's641': before => Stage['s642'] }
stage { 's642': before => Stage['s643'] }
stage { 's643': before => Stage['s644'] }
stage { 's644': before => Stage['s645'] }
stage { 's645': before => Stage['s646'] }
stage { 's646': before => Stage['s647'] }
stage { 's647': before => Stage['s648'] }
stage { 's648': before => Stage['s649'] }
stage { 's649': before => Stage['s650'] }
stage { 's650': before => Stage['s651'] }
stage { 's651': before => Stage['s652'] }
stage { 's652': before => Stage['s653'] }
stage { 's653': before => Stage['s654'] }
stage { 's654': before => Stage['s655'] }
stage { 's655': before => Stage['s656'] }
stage { 's656': before => Stage['s657'] }
stage { 's657': before => Stage['s658'] }
stage { 's658': before => Stage['s659'] }
stage { 's659': before => Stage['s660'] }
stage { 's660': before => Stage['s661'] }
stage { 's661': before => Stage['s662'] }
stage { 's662': before => Stage['s663'] }
stage { 's663': before => Stage['s664'] }
stage { 's664': before => Stage['s665'] }
stage { 's665': before => Stage['s666'] }
stage { 's666': before => Stage['s667'] }
stage { 's667': before => Stage['s668'] }
stage { 's668': before => Stage['s669'] }
stage { 's669': before => Stage['s670'] }
stage { 's670': before => Stage['s671'] }
stage { 's671': before => Stage['s672'] }
stage { 's672': before => Stage['s673'] }
stage { 's673': before => Stage['s674'] }
stage { 's674': before => Stage['s675'] }
stage { 's675': before => Stage['s676'] }
stage { 's676': before => Stage['s677'] }
stage { 's677': before => Stage['s678'] }
stage { 's678': before => Stage['s679'] }
stage { 's679': before => Stage['s680'] }
stage { 's680': before => Stage['s681'] }
stage { 's681': before => Stage['s682'] }
stage { 's682': before => Stage['s683'] }
stage { 's683': before => Stage['s684'] }
stage { 's684': before => Stage['s685'] }
stage { 's685': before => Stage['s686'] }
stage { 's686': before => Stage['s687'] }
stage { 's687': before => Stage['s688'] }
stage { 's688': before => Stage['s689'] }
stage { 's689': before => Stage['s690'] }
stage { 's690': before => Stage['s691'] }
stage { 's691': before => Stage['s692'] }
stage { 's692': before => Stage['s693'] }
stage { 's693': before => Stage['s694'] }
stage { 's694': before => Stage['s695'] }
stage { 's695': before => Stage['s696'] }
stage { 's696': before => Stage['s697'] }
stage { 's697': before => Stage['s698'] }
stage { 's698': before => Stage['s699'] }
stage { 's699': before => Stage['s700'] }
stage { 's700': before => Stage['s701'] }
stage { 's701': before => Stage['s702'] }
stage { 's702': before => Stage['s703'] }
stage { 's703': before => Stage['s704'] }
stage { 's704': before => Stage['s705'] }
stage { 's705': before => Stage['s706'] }
stage { 's706': before => Stage['s707'] }
stage { 's707': before => Stage['s708'] }
stage { 's708': before => Stage['s709'] }
stage { 's709': before => Stage['s710'] }
stage { 's710': before => Stage['s711'] }
stage { 's711': before => Stage['s712'] }
stage { 's712': before => Stage['s713'] }
stage { 's713': before => Stage['s714'] }
stage { 's714': before => Stage['s715'] }
stage { 's715': before => Stage['s716'] }
stage { 's716': before => Stage['s717'] }
stage { 's717': before => Stage['s718'] }
stage { 's718': before => Stage['s719'] }
stage { 's719': before => Stage['s720'] }
stage { 's720': before => Stage['s721'] }
stage { 's721': before => Stage['s722'] }
stage { 's722': before => Stage['s723'] }
stage { 's723': before => Stage['s724'] }
stage { 's724': before => Stage['s725'] }
stage { 's725': before => Stage['s726'] }
stage { 's726': before => Stage['s727'] }
stage { 's727': before => Stage['s728'] }
stage { 's728': before => Stage['s729'] }
stage { 's729': before => Stage['s730'] }
stage { 's730': before => Stage['s731'] }
stage { 's731': before => Stage['s732'] }
stage { 's732': before => Stage['s733'] }
stage { 's733': before => Stage['s734'] }
stage { 's734': before => Stage['s735'] }
stage { 's735': before => Stage['s736'] }
stage { 's736': before => Stage['s737'] }
stage { 's737': before => Stage['s738'] }
stage { 's738': before => Stage['s739'] }
stage { 's739': before => Stage['s740'] }
stage { 's740': before => Stage['s741'] }
stage { 's741': before => Stage['s742'] }
stage { 's742': before => Stage['s743'] }
stage { 's743': before => Stage['s744'] }
stage { 's744': before => Stage['s745'] }
stage { 's745': before => Stage['s746'] }
stage { 's746': before => Stage['s747'] }
stage { 's747': before => Stage['s748'] }
stage { 's748': before => Stage['s749'] }
stage { 's749': before => Stage['s750'] }
stage { 's750': before => Stage['s751'] }
stage { 's751': before => Stage['s752'] }
stage { 's752': before => Stage['s753'] }
stage { 's753': before => Stage['s754'] }
stage { 's754': before => Stage['s755'] }
stage { 's755': before => Stage['s756'] }
stage { 's756': before => Stage['s757'] }
stage { 's757': before => Stage['s758'] }
stage { 's758': before => Stage['s759'] }
stage { 's759': before => Stage['s760'] }
stage { 's760': before => Stage['s761'] }
stage { 's761': before => Stage['s762'] }
stage { 's762': before => Stage['s763'] }
stage { 's763': before => Stage['s764'] }
stage { 's764': before => Stage['s765'] }
stage { 's765': before => Stage['s766'] }
stage { 's766': before => Stage['s767'] }
stage { 's767': before => Stage['s768'] }
stage { 's768': before => Stage['s769'] }
stage { 's769': before => Stage['s770'] }
stage { 's770': before => Stage['s771'] }
stage { 's771': before => Stage['s772'] }
stage { 's772': before => Stage['s773'] }
stage { 's773': before => Stage['s774'] }
stage { 's774': before => Stage['s775'] }
stage { 's775': before => Stage['s776'] }
stage { 's776': before => Stage['s777'] }
stage { 's777': before => Stage['s778'] }
stage { 's778': before => Stage['s779'] }
stage { 's779': before => Stage['s780'] }
stage { 's780': before => Stage['s781'] }
stage { 's781': before => Stage['s782'] }
stage { 's782': before => Stage['s783'] }
stage { 's783': before => Stage['s784'] }
stage { 's784': before => Stage['s785'] }
stage { 's785': before => Stage['s786'] }
stage { 's786': before => Stage['s787'] }
stage { 's787': before => Stage['s788'] }
stage { 's788': before => Stage['s789'] }
stage { 's789': before => Stage['s790'] }
stage { 's790': before => Stage['s791'] }
stage { 's791': before => Stage['s792'] }
stage { 's792': before => Stage['s793'] }
stage { 's793': before => Stage['s794'] }
stage { 's794': before => Stage['s795'] }
stage { 's795': before => Stage['s796'] }
stage { 's796': before => Stage['s797'] }
stage { 's797': before => Stage['s798'] }
stage { 's798': before => Stage['s799'] }
stage { 's799': before => Stage['s800'] }
stage { 's800': before => Stage['s801'] }
stage { 's801': before => Stage['s802'] }
stage { 's802': before => Stage['s803'] }
stage { 's803': before => Stage['s804'] }
stage { 's804': before => Stage['s805'] }
stage { 's805': before => Stage['s806'] }
stage { 's806': before => Stage['s807'] }
stage { 's807': before => Stage['s808'] }
stage { 's808': before => Stage['s809'] }
stage { 's809': before => Stage['s810'] }
stage { 's810': before => Stage['s811'] }
stage { 's811': before => Stage['s812'] }
stage { 's812': before => Stage['s813'] }
stage { 's813': before => Stage['s814'] }
stage { 's814': before => Stage['s815'] }
stage { 's815': before => Stage['s816'] }
stage { 's816': before => Stage['s817'] }
stage { 's817': before => Stage['s818'] }
stage { 's818': before => Stage['s819'] }
stage { 's819': before => Stage['s820'] }
stage { 's820': before => Stage['s821'] }
stage { 's821': before => Stage['s822'] }
stage { 's822': before => Stage['s823'] }
stage { 's823': before => Stage['s824'] }
stage { 's824': before => Stage['s825'] }
stage { 's825': before => Stage['s826'] }
stage { 's826': before => Stage['s827'] }
stage { 's827': before => Stage['s828'] }
stage { 's828': before => Stage['s829'] }
stage { 's829': before => Stage['s830'] }
stage { 's830': before => Stage['s831'] }
stage { 's831': before => Stage['s832'] }
stage { 's832': before => Stage['s833'] }
stage { 's833': before => Stage['s834'] }
stage { 's834': before => Stage['s835'] }
stage { 's835': before => Stage['s836'] }
stage { 's836': before => Stage['s837'] }
stage { 's837': before => Stage['s838'] }
stage { 's838': before => Stage['s839'] }
stage { 's839': before => Stage['s840'] }
stage { 's840': before => Stage['s841'] }
stage { 's841': before => Stage['s842'] }
stage { 's842': before => Stage['s843'] }
stage { 's843': before => Stage['s844'] }
stage { 's844': before => Stage['s845'] }
stage { 's845': before => Stage['s846'] }
stage { 's846': before => Stage['s847'] }
stage { 's847': before => Stage['s848'] }
stage { 's848': before => Stage['s849'] }
stage { 's849': before => Stage['s850'] }
stage { 's850': before => Stage['s851'] }
stage { 's851': before => Stage['s852'] }
stage { 's852': before => Stage['s853'] }
stage { 's853': before => Stage['s854'] }
stage { 's854': before => Stage['s855'] }
stage { 's855': before => Stage['s856'] }
stage { 's856': before => Stage['s857'] }
stage { 's857': before => Stage['s858'] }
stage { 's858': before => Stage['s859'] }
stage { 's859': before => Stage['s860'] }
stage { 's860': before => Stage['s861'] }
stage { 's861': before => Stage['s862'] }
stage { 's862': before => Stage['s863'] }
stage { 's863': before => Stage['s864'] }
stage { 's864': before => Stage['s865'] }
stage { 's865': before => Stage['s866'] }
stage { 's866': before => Stage['s867'] }
stage { 's867': before => Stage['s868'] }
stage { 's868': before => Stage['s869'] }
stage { 's869': before => Stage['s870'] }
stage { 's870': before => Stage['s871'] }
stage { 's871': before => Stage['s872'] }
stage { 's872': before => Stage['s873'] }
stage { 's873': before => Stage['s874'] }
stage { 's874': before => Stage['s875'] }
stage { 's875': before => Stage['s876'] }
stage { 's876': before => Stage['s877'] }
stage { 's877': before => Stage['s878'] }
stage { 's878': before => Stage['s879'] }
stage { 's879': before => Stage['s880'] }
stage { 's880': before => Stage['s881'] }
stage { 's881': before => Stage['s882'] }
stage { 's882': before => Stage['s883'] }
stage { 's883': before => Stage['s884'] }
stage { 's884': before => Stage['s885'] }
stage { 's885': before => Stage['s886'] }
stage { 's886': before => Stage['s887'] }
stage { 's887': before => Stage['s888'] }
stage { 's888': before => Stage['s889'] }
stage { 's889': before => Stage['s890'] }
stage { 's890': before => Stage['s891'] }
stage { 's891': before => Stage['s892'] }
stage { 's892': before => Stage['s893'] }
stage { 's893': before => Stage['s894'] }
stage { 's894': before => Stage['s895'] }
stage { 's895': before => Stage['s896'] }
stage { 's896': before => Stage['s897'] }
stage { 's897': before => Stage['s898'] }
stage { 's898': before => Stage['s899'] }
stage { 's899': before => Stage['s900'] }
stage { 's900': before => Stage['s901'] }
stage { 's901': before => Stage['s902'] }
stage { 's902': before => Stage['s903'] }
stage { 's903': before => Stage['s904'] }
stage { 's904': before => Stage['s905'] }
stage { 's905': before => Stage['s906'] }
stage { 's906': before => Stage['s907'] }
stage { 's907': before => Stage['s908'] }
stage { 's908': before => Stage['s909'] }
stage { 's909': before => Stage['s910'] }
stage { 's910': before => Stage['s911'] }
stage { 's911': before => Stage['s912'] }
stage { 's912': before => Stage['s913'] }
stage { 's913': before => Stage['s914'] }
stage { 's914': before => Stage['s915'] }
stage { 's915': before => Stage['s916'] }
stage { 's916': before => Stage['s917'] }
stage { 's917': before => Stage['s918'] }
stage { 's918': before => Stage['s919'] }
stage { 's919': before => Stage['s920'] }
stage { 's920': before => Stage['s921'] }
stage { 's921': before => Stage['s922'] }
stage { 's922': before => Stage['s923'] }
stage { 's923': before => Stage['s924'] }
stage { 's924': before => Stage['s925'] }
stage { 's925': before => Stage['s926'] }
stage { 's926': before => Stage['s927'] }
stage { 's927': before => Stage['s928'] }
stage { 's928': before => Stage['s929'] }
stage { 's929': before => Stage['s930'] }
stage { 's930': before => Stage['s931'] }
stage { 's931': before => Stage['s932'] }
stage { 's932': before => Stage['s933'] }
stage { 's933': before => Stage['s934'] }
stage { 's934': before => Stage['s935'] }
stage { 's935': before => Stage['s936'] }
stage { 's936': before => Stage['s937'] }
stage { 's937': before => Stage['s938'] }
stage { 's938': before => Stage['s939'] }
stage { 's939': before => Stage['s940'] }
stage { 's940': before => Stage['s941'] }
stage { 's941': before => Stage['s942'] }
stage { 's942': before => Stage['s943'] }
stage { 's943': before => Stage['s944'] }
stage { 's944': before => Stage['s945'] }
stage { 's945': before => Stage['s946'] }
stage { 's946': before => Stage['s947'] }
stage { 's947': before => Stage['s948'] }
stage { 's948': before => Stage['s949'] }
stage { 's949': before => Stage['s950'] }
stage { 's950': before => Stage['s951'] }
stage { 's951': before => Stage['s952'] }
stage { 's952': before => Stage['s953'] }
stage { 's953': before => Stage['s954'] }
stage { 's954': before => Stage['s955'] }
stage { 's955': before => Stage['s956'] }
stage { 's956': before => Stage['s957'] }
stage { 's957': before => Stage['s958'] }
stage { 's958': before => Stage['s959'] }
stage { 's959': before => Stage['s960'] }
stage { 's960': before => Stage['s961'] }
stage { 's961': before => Stage['s962'] }
stage { 's962': before => Stage['s963'] }
stage { 's963': before => Stage['s964'] }
stage { 's964': before => Stage['s965'] }
stage { 's965': before => Stage['s966'] }
stage { 's966': before => Stage['s967'] }
stage { 's967': before => Stage['s968'] }
stage { 's968': before => Stage['s969'] }
stage { 's969': before => Stage['s970'] }
stage { 's970': before => Stage['s971'] }
stage { 's971': before => Stage['s972'] }
stage { 's972': before => Stage['s973'] }
stage { 's973': before => Stage['s974'] }
stage { 's974': before => Stage['s975'] }
stage { 's975': before => Stage['s976'] }
stage { 's976': before => Stage['s977'] }
stage { 's977': before => Stage['s978'] }
stage { 's978': before => Stage['s979'] }
stage { 's979': before => Stage['s980'] }
stage { 's980': before => Stage['s981'] }
stage { 's981': before => Stage['s982'] }
stage { 's982': before => Stage['s983'] }
stage { 's983': before => Stage['s984'] }
stage { 's984': before => Stage['s985'] }
stage { 's985': before => Stage['s986'] }
stage { 's986': before => Stage['s987'] }
stage { 's987': before => Stage['s988'] }
stage { 's988': before => Stage['s989'] }
stage { 's989': before => Stage['s990'] }
stage { 's990': before => Stage['s991'] }
stage { 's991': before => Stage['s992'] }
stage { 's992': before => Stage['s993'] }
stage { 's993': before => Stage['s994'] }
stage { 's994': before => Stage['s995'] }
stage { 's995': before => Stage['s996'] }
stage { 's996': before => Stage['s997'] }
stage { 's997': before => Stage['s998'] }
stage { 's998': before => Stage['s999'] }
stage { 's999': before => Stage['s1000'] }
stage { 's1000': before => Stage['s1001'] }
stage { 's1001': before => Stage['s1002'] }
stage { 's1002': before => Stage['s1003'] }
stage { 's1003': before => Stage['s1004'] }
stage { 's1004': before => Stage['s1005'] }
stage { 's1005': before => Stage['s1006'] }
stage { 's1006': before => Stage['s1007'] }
stage { 's1007': before => Stage['s1008'] }
stage { 's1008': before => Stage['s1009'] }
stage { 's1009': before => Stage['s1010'] }
stage { 's1010': before => Stage['s1011'] }
stage { 's1011': before => Stage['s1012'] }
stage { 's1012': before => Stage['s1013'] }
stage { 's1013': before => Stage['s1014'] }
stage { 's1014': before => Stage['s1015'] }
stage { 's1015': before => Stage['s1016'] }
stage { 's1016': before => Stage['s1017'] }
stage { 's1017': before => Stage['s1018'] }
stage { 's1018': before => Stage['s1019'] }
stage { 's1019': before => Stage['s1020'] }
stage { 's1020': before => Stage['s1021'] }
stage { 's1021': before => Stage['s1022'] }
stage { 's1022': before => Stage['s1023'] }
stage { 's1023': before => Stage['s1024'] }
stage { 's1024': before => Stage['s1025'] }
stage { 's1025': before => Stage['s1026'] }
stage { 's1026': before => Stage['s1027'] }
stage { 's1027': before => Stage['s1028'] }
stage { 's1028': before => Stage['s1029'] }
stage { 's1029': before => Stage['s1030'] }
stage { 's1030': before => Stage['s1031'] }
stage { 's1031': before => Stage['s1032'] }
stage { 's1032': before => Stage['s1033'] }
stage { 's1033': before => Stage['s1034'] }
stage { 's1034': before => Stage['s1035'] }
stage { 's1035': before => Stage['s1036'] }
stage { 's1036': before => Stage['s1037'] }
stage { 's1037': before => Stage['s1038'] }
stage { 's1038': before => Stage['s1039'] }
stage { 's1039': before => Stage['s1040'] }
stage { 's1040': before => Stage['s1041'] }
stage { 's1041': before => Stage['s1042'] }
stage { 's1042': before => Stage['s1043'] }
stage { 's1043': before => Stage['s1044'] }
stage { 's1044': before => Stage['s1045'] }
stage { 's1045': before => Stage['s1046'] }
stage { 's1046': before => Stage['s1047'] }
stage { 's1047': before => Stage['s1048'] }
stage { 's1048': before => Stage['s1049'] }
stage { 's1049': before => Stage['s1050'] }
stage { 's1050': before => Stage['s1051'] }
stage { 's1051': before => Stage['s1052'] }
stage { 's1052': before => Stage['s1053'] }
stage { 's1053': before => Stage['s1054'] }
stage { 's1054': before => Stage['s1055'] }
stage { 's1055': before => Stage['s1056'] }
stage { 's1056': before => Stage['s1057'] }
stage { 's1057': before => Stage['s1058'] }
stage { 's1058': before => Stage['s1059'] }
stage { 's1059': before => Stage['s1060'] }
stage { 's1060': before => Stage['s1061'] }
stage { 's1061': before => Stage['s1062'] }
stage { 's1062': before => Stage['s1063'] }
stage { 's1063': before => Stage['s1064'] }
stage { 's1064': before => Stage['s1065'] }
stage { 's1065': before => Stage['s1066'] }
stage { 's1066': before => Stage['s1067'] }
stage { 's1067': before => Stage['s1068'] }
stage { 's1068': before => Stage['s1069'] }
stage { 's1069': before => Stage['s1070'] }
stage { 's1070': before => Stage['s1071'] }
stage { 's1071': before => Stage['s1072'] }
stage { 's1072': before => Stage['s1073'] }
stage { 's1073': before => Stage['s1074'] }
stage { 's1074': before => Stage['s1075'] }
stage { 's1075': before => Stage['s1076'] }
stage { 's1076': before => Stage['s1077'] }
stage { 's1077': before => Stage['s1078'] }
stage { 's1078': before => Stage['s1079'] }
stage { 's1079': before => Stage['s1080'] }
stage { 's1080': before => Stage['s1081'] }
stage { 's1081': before => Stage['s1082'] }
stage { 's1082': before => Stage['s1083'] }
stage { 's1083': before => Stage['s1084'] }
stage { 's1084': before => Stage['s1085'] }
stage { 's1085': before => Stage['s1086'] }
stage { 's1086': before => Stage['s1087'] }
stage { 's1087': before => Stage['s1088'] }
stage { 's1088': before => Stage['s1089'] }
stage { 's1089': before => Stage['s1090'] }
stage { 's1090': before => Stage['s1091'] }
stage { 's1091': before => Stage['s1092'] }
stage { 's1092': before => Stage['s1093'] }
stage { 's1093': before => Stage['s1094'] }
stage { 's1094': before => Stage['s1095'] }
stage { 's1095': before => Stage['s1096'] }
stage { 's1096': before => Stage['s1097'] }
stage { 's1097': before => Stage['s1098'] }
stage { 's1098': before => Stage['s1099'] }
stage { 's1099': before => Stage['s1100'] }
stage { 's1100': before => Stage['s1101'] }
stage { 's1101': before => Stage['s1102'] }
stage { 's1102': before => Stage['s1103'] }
stage { 's1103': before => Stage['s1104'] }
stage { 's1104': before => Stage['s1105'] }
stage { 's1105': before => Stage['s1106'] }
stage { 's1106': before => Stage['s1107'] }
stage { 's1107': before => Stage['s1108'] }
stage { 's1108': before => Stage['s1109'] }
stage { 's1109': before => Stage['s1110'] }
stage { 's1110': before => Stage['s1111'] }
stage { 's1111': before => Stage['s1112'] }
stage { 's1112': before => Stage['s1113'] }
stage { 's1113': before => Stage['s1114'] }
stage { 's1114': before => Stage['s1115'] }
stage { 's1115': before => Stage['s1116'] }
stage { 's1116': before => Stage['s1117'] }
stage { 's1117': before => Stage['s1118'] }
stage { 's1118': before => Stage['s1119'] }
stage { 's1119': before => Stage['s1120'] }
stage { 's1120': before => Stage['s1121'] }
stage { 's1121': before => Stage['s1122'] }
stage { 's1122': before => Stage['s1123'] }
stage { 's1123': before => Stage['s1124'] }
stage { 's1124': before => Stage['s1125'] }
stage { 's1125': before => Stage['s1126'] }
stage { 's1126': before => Stage['s1127'] }
stage { 's1127': before => Stage['s1128'] }
stage { 's1128': before => Stage['s1129'] }
stage { 's1129': before => Stage['s1130'] }
stage { 's1130': before => Stage['s1131'] }
stage { 's1131': before => Stage['s1132'] }
stage { 's1132': before => Stage['s1133'] }
stage { 's1133': before => Stage['s1134'] }
stage { 's1134': before => Stage['s1135'] }
stage { 's1135': before => Stage['s1136'] }
stage { 's1136': before => Stage['s1137'] }
stage { 's1137': before => Stage['s1138'] }
stage { 's1138': before => Stage['s1139'] }
stage { 's1139': before => Stage['s1140'] }
stage { 's1140': before => Stage['s1141'] }
stage { 's1141': before => Stage['s1142'] }
stage { 's1142': before => Stage['s1143'] }
stage { 's1143': before => Stage['s1144'] }
stage { 's1144': before => Stage['s1145'] }
stage { 's1145': before => Stage['s1146'] }
stage { 's1146': before => Stage['s1147'] }
stage { 's1147': before => Stage['s1148'] }
stage { 's1148': before => Stage['s1149'] }
stage { 's1149': before => Stage['s1150'] }
stage { 's1150': before => Stage['s1151'] }
stage { 's1151': before => Stage['s1152'] }
stage { 's1152': before => Stage['s1153'] }
stage { 's1153': before => Stage['s1154'] }
stage { 's1154': before => Stage['s1155'] }
stage { 's1155': before => Stage['s1156'] }
stage { 's1156': before => Stage['s1157'] }
stage { 's1157': before => Stage['s1158'] }
stage { 's1158': before => Stage['s1159'] }
stage { 's1159': before => Stage['s1160'] }
stage { 's1160': before => Stage['s1161'] }
stage { 's1161': before => Stage['s1162'] }
stage { 's1162': before => Stage['s1163'] }
stage { 's1163': before => Stage['s1164'] }
stage { 's1164': before => Stage['s1165'] }
stage { 's1165': before => Stage['s1166'] }
stage { 's1166': before => Stage['s1167'] }
stage { 's1167': before => Stage['s1168'] }
stage { 's1168': before => Stage['s1169'] }
stage { 's1169': before => Stage['s1170'] }
stage { 's1170': before => Stage['s1171'] }
stage { 's1171': before => Stage['s1172'] }
stage { 's1172': before => Stage['s1173'] }
stage { 's1173': before => Stage['s1174'] }
stage { 's1174': before => Stage['s1175'] }
stage { 's1175': before => Stage['s1176'] }
stage { 's1176': before => Stage['s1177'] }
stage { 's1177': before => Stage['s1178'] }
stage { 's1178': before => Stage['s1179'] }
stage { 's1179': before => Stage['s1180'] }
stage { 's1180': before => Stage['s1181'] }
stage { 's1181': before => Stage['s1182'] }
stage { 's1182': before => Stage['s1183'] }
stage { 's1183': before => Stage['s1184'] }
stage { 's1184': before => Stage['s1185'] }
stage { 's1185': before => Stage['s1186'] }
stage { 's1186': before => Stage['s1187'] }
stage { 's1187': before => Stage['s1188'] }
stage { 's1188': before => Stage['s1189'] }
stage { 's1189': before => Stage['s1190'] }
stage { 's1190': before => Stage['s1191'] }
stage { 's1191': before => Stage['s1192'] }
stage { 's1192': before => Stage['s1193'] }
stage { 's1193': before => Stage['s1194'] }
stage { 's1194': before => Stage['s1195'] }
stage { 's1195': before => Stage['s1196'] }
stage { 's1196': before => Stage['s1197'] }
stage { 's1197': before => Stage['s1198'] }
stage { 's1198': before => Stage['s1199'] }
stage { 's1199': before => Stage['s1200'] }
stage { 's1200': before => Stage['s1201'] }
stage { 's1201': before => Stage['s1202'] }
stage { 's1202': before => Stage['s1203'] }
stage { 's1203': before => Stage['s1204'] }
stage { 's1204': before => Stage['s1205'] }
stage { 's1205': before => Stage['s1206'] }
stage { 's1206': before => Stage['s1207'] }
stage { 's1207': before => Stage['s1208'] }
stage { 's1208': before => Stage['s1209'] }
stage { 's1209': before => Stage['s1210'] }
stage { 's1210': before => Stage['s1211'] }
stage { 's1211': before => Stage['s1212'] }
stage { 's1212': before => Stage['s1213'] }
stage { 's1213': before => Stage['s1214'] }
stage { 's1214': before => Stage['s1215'] }
stage { 's1215': before => Stage['s1216'] }
stage { 's1216': before => Stage['s1217'] }
stage { 's1217': before => Stage['s1218'] }
stage { 's1218': before => Stage['s1219'] }
stage { 's1219': before => Stage['s1220'] }
stage { 's1220': before => Stage['s1221'] }
stage { 's1221': before => Stage['s1222'] }
stage { 's1222': before => Stage['s1223'] }
stage { 's1223': before => Stage['s1224'] }
stage { 's1224': before => Stage['s1225'] }
stage { 's1225': before => Stage['s1226'] }
stage { 's1226': before => Stage['s1227'] }
stage { 's1227': before => Stage['s1228'] }
stage { 's1228': before => Stage['s1229'] }
stage { 's1229': before => Stage['s1230'] }
stage { 's1230': before => Stage['s1231'] }
stage { 's1231': before => Stage['s1232'] }
stage { 's1232': before => Stage['s1233'] }
stage { 's1233': before => Stage['s1234'] }
stage { 's1234': before => Stage['s1235'] }
stage { 's1235': before => Stage['s1236'] }
stage { 's1236': before => Stage['s1237'] }
stage { 's1237': before => Stage['s1238'] }
stage { 's1238': before => Stage['s1239'] }
stage { 's1239': before => Stage['s1240'] }
stage { 's1240': before => Stage['s1241'] }
stage { 's1241': before => Stage['s1242'] }
stage { 's1242': before => Stage['s1243'] }
stage { 's1243': before => Stage['s1244'] }
stage { 's1244': before => Stage['s1245'] }
stage { 's1245': before => Stage['s1246'] }
stage { 's1246': before => Stage['s1247'] }
stage { 's1247': before => Stage['s1248'] }
stage { 's1248': before => Stage['s1249'] }
stage { 's1249': before => Stage['s1250'] }
stage { 's1250': before => Stage['s1251'] }
stage { 's1251': before => Stage['s1252'] }
stage { 's1252': before => Stage['s1253'] }
stage { 's1253': before => Stage['s1254'] }
stage { 's1254': before => Stage['s1255'] }
stage { 's1255': before => Stage['s1256'] }
stage { 's1256': before => Stage['s1257'] }
stage { 's1257': before => Stage['s1258'] }
stage { 's1258': before => Stage['s1259'] }
stage { 's1259': before => Stage['s1260'] }
stage { 's1260': before => Stage['s1261'] }
stage { 's1261': before => Stage['s1262'] }
stage { 's1262': before => Stage['s1263'] }
stage { 's1263': before => Stage['s1264'] }
stage { 's1264': before => Stage['s1265'] }
stage { 's1265': before => Stage['s1266'] }
stage { 's1266': before => Stage['s1267'] }
stage { 's1267': before => Stage['s1268'] }
stage { 's1268': before => Stage['s1269'] }
stage { 's1269': before => Stage['s1270'] }
stage { 's1270': before => Stage['s1271'] }
stage { 's1271': before => Stage['s1272'] }
stage { 's1272': before => Stage['s1273'] }
stage { 's1273': before => Stage['s1274'] }
stage { 's1274': before => Stage['s1275'] }
stage { 's1275': before => Stage['s1276'] }
stage { 's1276': before => Stage['s1277'] }
stage { 's1277': before => Stage['s1278'] }
stage { 's1278': before => Stage['s1279'] }
stage { 's1279': before => Stage['s1280'] }
stage { 's1280': before => Stage['s1281'] }
stage { 's1281': before => Stage['s1282'] }
stage { 's1282': before => Stage['s1283'] }
stage { 's1283': before => Stage['s1284'] }
stage { 's1284': before => Stage['s1285'] }
stage { 's1285': before => Stage['s1286'] }
stage { 's1286': before => Stage['s1287'] }
stage { 's1287': before => Stage['s1288'] }
stage { 's1288': before => Stage['s1289'] }
stage { 's1289': before => Stage['s1290'] }
stage { 's1290': before => Stage['s1291'] }
stage { 's1291': before => Stage['s1292'] }
stage { 's1292': before => Stage['s1293'] }
stage { 's1293': before => Stage['s1294'] }
stage { 's1294': before => Stage['s1295'] }
stage { 's1295': before => Stage['s1296'] }
stage { 's1296': before => Stage['s1297'] }
stage { 's1297': before => Stage['s1298'] }
stage { 's1298': before => Stage['s1299'] }
stage { 's1299': before => Stage['s1300'] }
stage { 's1300': before => Stage['s1301'] }
stage { 's1301': before => Stage['s1302'] }
stage { 's1302': before => Stage['s1303'] }
stage { 's1303': before => Stage['s1304'] }
stage { 's1304': before => Stage['s1305'] }
stage { 's1305': before => Stage['s1306'] }
stage { 's1306': before => Stage['s1307'] }
stage { 's1307': before => Stage['s1308'] }
stage { 's1308': before => Stage['s1309'] }
stage { 's1309': before => Stage['s1310'] }
stage { 's1310': before => Stage['s1311'] }
stage { 's1311': before => Stage['s1312'] }
stage { 's1312': before => Stage['s1313'] }
stage { 's1313': before => Stage['s1314'] }
stage { 's1314': before => Stage['s1315'] }
stage { 's1315': before => Stage['s1316'] }
stage { 's1316': before => Stage['s1317'] }
stage { 's1317': before => Stage['s1318'] }
stage { 's1318': before => Stage['s1319'] }
stage { 's1319': before => Stage['s1320'] }
stage { 's1320': before => Stage['s1321'] }
stage { 's1321': before => Stage['s1322'] }
stage { 's1322': before => Stage['s1323'] }
stage { 's1323': before => Stage['s1324'] }
stage { 's1324': before => Stage['s1325'] }
stage { 's1325': before => Stage['s1326'] }
stage { 's1326': before => Stage['s1327'] }
stage { 's1327': before => Stage['s1328'] }
stage { 's1328': before => Stage['s1329'] }
stage { 's1329': before => Stage['s1330'] }
stage { 's1330': before => Stage['s1331'] }
stage { 's1331': before => Stage['s1332'] }
stage { 's1332': before => Stage['s1333'] }
stage { 's1333': before => Stage['s1334'] }
stage { 's1334': before => Stage['s1335'] }
stage { 's1335': before => Stage['s1336'] }
stage { 's1336': before => Stage['s1337'] }
stage { 's1337': before => Stage['s1338'] }
stage { 's1338': before => Stage['s1339'] }
stage { 's1339': before => Stage['s1340'] }
stage { 's1340': before => Stage['s1341'] }
stage { 's1341': before => Stage['s1342'] }
stage { 's1342': before => Stage['s1343'] }
stage { 's1343': before => Stage['s1344'] }
stage { 's1344': before => Stage['s1345'] }
stage { 's1345': before => Stage['s1346'] }
stage { 's1346': before => Stage['s1347'] }
stage { 's1347': before => Stage['s1348'] }
stage { 's1348': before => Stage['s1349'] }
stage { 's1349': before => Stage['s1350'] }
stage { 's1350': before => Stage['s1351'] }
stage { 's1351': before => Stage['s1352'] }
stage { 's1352': before => Stage['s1353'] }
stage { 's1353': before => Stage['s1354'] }
stage { 's1354': before => Stage['s1355'] }
stage { 's1355': before => Stage['s1356'] }
stage { 's1356': before => Stage['s1357'] }
stage { 's1357': before => Stage['s1358'] }
stage { 's1358': before => Stage['s1359'] }
stage { 's1359': before => Stage['s1360'] }
stage { 's1360': before => Stage['s1361'] }
stage { 's1361': before => Stage['s1362'] }
stage { 's1362': before => Stage['s1363'] }
stage { 's1363': before => Stage['s1364'] }
stage { 's1364': before => Stage['s1365'] }
stage { 's1365': before => Stage['s1366'] }
stage { 's1366': before => Stage['s1367'] }
stage { 's1367': before => Stage['s1368'] }
stage { 's1368': before => Stage['s1369'] }
stage { 's1369': before => Stage['s1370'] }
stage { 's1370': before => Stage['s1371'] }
stage { 's1371': before => Stage['s1372'] }
stage { 's1372': before => Stage['s1373'] }
stage { 's1373': before => Stage['s1374'] }
stage { 's1374': before => Stage['s1375'] }
stage { 's1375': before => Stage['s1376'] }
stage { 's1376': before => Stage['s1377'] }
stage { 's1377': before => Stage['s1378'] }
stage { 's1378': before => Stage['s1379'] }
stage { 's1379': before => Stage['s1380'] }
stage { 's1380': before => Stage['s1381'] }
stage { 's1381': before => Stage['s1382'] }
stage { 's1382': before => Stage['s1383'] }
stage { 's1383': before => Stage['s1384'] }
stage { 's1384': before => Stage['s1385'] }
stage { 's1385': before => Stage['s1386'] }
stage { 's1386': before => Stage['s1387'] }
stage { 's1387': before => Stage['s1388'] }
stage { 's1388': before => Stage['s1389'] }
stage { 's1389': before => Stage['s1390'] }
stage { 's1390': before => Stage['s1391'] }
stage { 's1391': before => Stage['s1392'] }
stage { 's1392': before => Stage['s1393'] }
stage { 's1393': before => Stage['s1394'] }
stage { 's1394': before => Stage['s1395'] }
stage { 's1395': before => Stage['s1396'] }
stage { 's1396': before => Stage['s1397'] }
stage { 's1397': before => Stage['s1398'] }
stage { 's1398': before => Stage['s1399'] }
stage { 's1399': before => Stage['s1400'] }
stage { 's1400': before => Stage['s1401'] }
stage { 's1401': before => Stage['s1402'] }
stage { 's1402': before => Stage['s1403'] }
stage { 's1403': before => Stage['s1404'] }
stage { 's1404': before => Stage['s1405'] }
stage { 's1405': before => Stage['s1406'] }
stage { 's1406': before => Stage['s1407'] }
stage { 's1407': before => Stage['s1408'] }
stage { 's1408': before => Stage['s1409'] }
stage { 's1409': before => Stage['s1410'] }
stage { 's1410': before => Stage['s1411'] }
stage { 's1411': before => Stage['s1412'] }
stage { 's1412': before => Stage['s1413'] }
stage { 's1413': before => Stage['s1414'] }
stage { 's1414': before => Stage['s1415'] }
stage { 's1415': before => Stage['s1416'] }
stage { 's1416': before => Stage['s1417'] }
stage { 's1417': before => Stage['s1418'] }
stage { 's1418': before => Stage['s1419'] }
stage { 's1419': before => Stage['s1420'] }
stage { 's1420': before => Stage['s1421'] }
stage { 's1421': before => Stage['s1422'] }
stage { 's1422': before => Stage['s1423'] }
stage { 's1423': before => Stage['s1424'] }
stage { 's1424': before => Stage['s1425'] }
stage { 's1425': before => Stage['s1426'] }
stage { 's1426': before => Stage['s1427'] }
stage { 's1427': before => Stage['s1428'] }
stage { 's1428': before => Stage['s1429'] }
stage { 's1429': before => Stage['s1430'] }
stage { 's1430': before => Stage['s1431'] }
stage { 's1431': before => Stage['s1432'] }
stage { 's1432': before => Stage['s1433'] }
stage { 's1433': before => Stage['s1434'] }
stage { 's1434': before => Stage['s1435'] }
stage { 's1435': before => Stage['s1436'] }
stage { 's1436': before => Stage['s1437'] }
stage { 's1437': before => Stage['s1438'] }
stage { 's1438': before => Stage['s1439'] }
stage { 's1439': before => Stage['s1440'] }
stage { 's1440': before => Stage['s1441'] }
stage { 's1441': before => Stage['s1442'] }
stage { 's1442': before => Stage['s1443'] }
stage { 's1443': before => Stage['s1444'] }
stage { 's1444': before => Stage['s1445'] }
stage { 's1445': before => Stage['s1446'] }
stage { 's1446': before => Stage['s1447'] }
stage { 's1447': before => Stage['s1448'] }
stage { 's1448': before => Stage['s1449'] }
stage { 's1449': before => Stage['s1450'] }
stage { 's1450': before => Stage['s1451'] }
stage { 's1451': before => Stage['s1452'] }
stage { 's1452': before => Stage['s1453'] }
stage { 's1453': before => Stage['s1454'] }
stage { 's1454': before => Stage['s1455'] }
stage { 's1455': before => Stage['s1456'] }
stage { 's1456': before => Stage['s1457'] }
stage { 's1457': before => Stage['s1458'] }
stage { 's1458': before => Stage['s1459'] }
stage { 's1459': before => Stage['s1460'] }
stage { 's1460': before => Stage['s1461'] }
stage { 's1461': before => Stage['s1462'] }
stage { 's1462': before => Stage['s1463'] }
stage { 's1463': before => Stage['s1464'] }
stage { 's1464': before => Stage['s1465'] }
stage { 's1465': before => Stage['s1466'] }
stage { 's1466': before => Stage['s1467'] }
stage { 's1467': before => Stage['s1468'] }
stage { 's1468': before => Stage['s1469'] }
stage { 's1469': before => Stage['s1470'] }
stage { 's1470': before => Stage['s1471'] }
stage { 's1471': before => Stage['s1472'] }
stage { 's1472': before => Stage['s1473'] }
stage { 's1473': before => Stage['s1474'] }
stage { 's1474': before => Stage['s1475'] }
stage { 's1475': before => Stage['s1476'] }
stage { 's1476': before => Stage['s1477'] }
stage { 's1477': before => Stage['s1478'] }
stage { 's1478': before => Stage['s1479'] }
stage { 's1479': before => Stage['s1480'] }
stage { 's1480': before => Stage['s1481'] }
stage { 's1481': before => Stage['s1482'] }
stage { 's1482': before => Stage['s1483'] }
stage { 's1483': before => Stage['s1484'] }
stage { 's1484': before => Stage['s1485'] }
stage { 's1485': before => Stage['s1486'] }
stage { 's1486': before => Stage['s1487'] }
stage { 's1487': before => Stage['s1488'] }
stage { 's1488': before => Stage['s1489'] }
stage { 's1489': before => Stage['s1490'] }
stage { 's1490': before => Stage['s1491'] }
stage { 's1491': before => Stage['s1492'] }
stage { 's1492': before => Stage['s1493'] }
stage { 's1493': before => Stage['s1494'] }
stage { 's1494': before => Stage['s1495'] }
stage { 's1495': before => Stage['s1496'] }
stage { 's1496': before => Stage['s1497'] }
stage { 's1497': before => Stage['s1498'] }
stage { 's1498': before => Stage['s1499'] }
stage { 's1499': before => Stage['s1500'] }
stage { 's1500': before => Stage['main'] }
class { 'c0': stage => 's0' }
class { 'c1': stage => 's1' }
class { 'c2': stage => 's2' }
class { 'c3': stage => 's3' }
class { 'c4': stage => 's4' }
class { 'c5': stage => 's5' }
class { 'c6': stage => 's6' }
class { 'c7': stage => 's7' }
class { 'c8': stage => 's8' }
class { 'c9': stage => 's9' }
class { 'c10': stage => 's10' }
class { 'c11': stage => 's11' }
class { 'c12': stage => 's12' }
class { 'c13': stage => 's13' }
class { 'c14': stage => 's14' }
class { 'c15': stage => 's15' }
class { 'c16': stage => 's16' }
class { 'c17': stage => 's17' }
class { 'c18': stage => 's18' }
class { 'c19': stage => 's19' }
class { 'c20': stage => 's20' }
class { 'c21': stage => 's21' }
class { 'c22': stage => 's22' }
class { 'c23': stage => 's23' }
class { 'c24': stage => 's24' }
class { 'c25': stage => 's25' }
class { 'c26': stage => 's26' }
class { 'c27': stage => 's27' }
class { 'c28': stage => 's28' }
class { 'c29': stage => 's29' }
class { 'c30': stage => 's30' }
class { 'c31': stage => 's31' }
class { 'c32': stage => 's32' }
class { 'c33': stage => 's33' }
class { 'c34': stage => 's34' }
class { 'c35': stage => 's35' }
class { 'c36': stage => 's36' }
class { 'c37': stage => 's37' }
class { 'c38': stage => 's38' }
class { 'c39': stage => 's39' }
class { 'c40': stage => 's40' }
class { 'c41': stage => 's41' }
class { 'c42': stage => 's42' }
class { 'c43': stage => 's43' }
class { 'c44': stage => 's44' }
class { 'c45': stage => 's45' }
class { 'c46': stage => 's46' }
class { 'c47': stage => 's47' }
class { 'c48': stage => 's48' }
class { 'c49': stage => 's49' }
class { 'c50': stage => 's50' }
class { 'c51': stage => 's51' }
class { 'c52': stage => 's52' }
class { 'c53': stage => 's53' }
class { 'c54': stage => 's54' }
class { 'c55': stage => 's55' }
class { 'c56': stage => 's56' }
class { 'c57': stage => 's57' }
class { 'c58': stage => 's58' }
class { 'c59': stage => 's59' }
class { 'c60': stage => 's60' }
class { 'c61': stage => 's61' }
class { 'c62': stage => 's62' }
class { 'c63': stage => 's63' }
class { 'c64': stage => 's64' }
class { 'c65': stage => 's65' }
class { 'c66': stage => 's66' }
class { 'c67': stage => 's67' }
class { 'c68': stage => 's68' }
class { 'c69': stage => 's69' }
class { 'c70': stage => 's70' }
class { 'c71': stage => 's71' }
class { 'c72': stage => 's72' }
class { 'c73': stage => 's73' }
class { 'c74': stage => 's74' }
class { 'c75': stage => 's75' }
class { 'c76': stage => 's76' }
class { 'c77': stage => 's77' }
class { 'c78': stage => 's78' }
class { 'c79': stage => 's79' }
class { 'c80': stage => 's80' }
class { 'c81': stage => 's81' }
class { 'c82': stage => 's82' }
class { 'c83': stage => 's83' }
class { 'c84': stage => 's84' }
class { 'c85': stage => 's85' }
class { 'c86': stage => 's86' }
class { 'c87': stage => 's87' }
class { 'c88': stage => 's88' }
class { 'c89': stage => 's89' }
class { 'c90': stage => 's90' }
class { 'c91': stage => 's91' }
class { 'c92': stage => 's92' }
class { 'c93': stage => 's93' }
class { 'c94': stage => 's94' }
class { 'c95': stage => 's95' }
class { 'c96': stage => 's96' }
class { 'c97': stage => 's97' }
class { 'c98': stage => 's98' }
class { 'c99': stage => 's99' }
class { 'c100': stage => 's100' }
class { 'c101': stage => 's101' }
class { 'c102': stage => 's102' }
class { 'c103': stage => 's103' }
class { 'c104': stage => 's104' }
class { 'c105': stage => 's105' }
class { 'c106': stage => 's106' }
class { 'c107': stage => 's107' }
class { 'c108': stage => 's108' }
class { 'c109': stage => 's109' }
class { 'c110': stage => 's110' }
class { 'c111': stage => 's111' }
class { 'c112': stage => 's112' }
class { 'c113': stage => 's113' }
class { 'c114': stage => 's114' }
class { 'c115': stage => 's115' }
class { 'c116': stage => 's116' }
class { 'c117': stage => 's117' }
class { 'c118': stage => 's118' }
class { 'c119': stage => 's119' }
class { 'c120': stage => 's120' }
class { 'c121': stage => 's121' }
class { 'c122': stage => 's122' }
class { 'c123': stage => 's123' }
class { 'c124': stage => 's124' }
class { 'c125': stage => 's125' }
class { 'c126': stage => 's126' }
class { 'c127': stage => 's127' }
class { 'c128': stage => 's128' }
class { 'c129': stage => 's129' }
class { 'c130': stage => 's130' }
class { 'c131': stage => 's131' }
class { 'c132': stage => 's132' }
class { 'c133': stage => 's133' }
class { 'c134': stage => 's134' }
class { 'c135': stage => 's135' }
class { 'c136': stage => 's136' }
class { 'c137': stage => 's137' }
class { 'c138': stage => 's138' }
class { 'c139': stage => 's139' }
class { 'c140': stage => 's140' }
class { 'c141': stage => 's141' }
class { 'c142': stage => 's142' }
class { 'c143': stage => 's143' }
class { 'c144': stage => 's144' }
class { 'c145': stage => 's145' }
class { 'c146': stage => 's146' }
class { 'c147': stage => 's147' }
class { 'c148': stage => 's148' }
class { 'c149': stage => 's149' }
class { 'c150': stage => 's150' }
class { 'c151': stage => 's151' }
class { 'c152': stage => 's152' }
class { 'c153': stage => 's153' }
class { 'c154': stage => 's154' }
class { 'c155': stage => 's155' }
class { 'c156': stage => 's156' }
class { 'c157': stage => 's157' }
class { 'c158': stage => 's158' }
class { 'c159': stage => 's159' }
class { 'c160': stage => 's160' }
class { 'c161': stage => 's161' }
class { 'c162': stage => 's162' }
class { 'c163': stage => 's163' }
class { 'c164': stage => 's164' }
class { 'c165': stage => 's165' }
class { 'c166': stage => 's166' }
class { 'c167': stage => 's167' }
class { 'c168': stage => 's168' }
class { 'c169': stage => 's169' }
class { 'c170': stage => 's170' }
class { 'c171': stage => 's171' }
class { 'c172': stage => 's172' }
class { 'c173': stage => 's173' }
class { 'c174': stage => 's174' }
class { 'c175': stage => 's175' }
class { 'c176': stage => 's176' }
class { 'c177': stage => 's177' }
class { 'c178': stage => 's178' }
class { 'c179': stage => 's179' }
class { 'c180': stage => 's180' }
class { 'c181': stage => 's181' }
class { 'c182': stage => 's182' }
class { 'c183': stage => 's183' }
class { 'c184': stage => 's184' }
class { 'c185': stage => 's185' }
class { 'c186': stage => 's186' }
class { 'c187': stage => 's187' }
class { 'c188': stage => 's188' }
class { 'c189': stage => 's189' }
class { 'c190': stage => 's190' }
class { 'c191': stage => 's191' }
class { 'c192': stage => 's192' }
class { 'c193': stage => 's193' }
class { 'c194': stage => 's194' }
class { 'c195': stage => 's195' }
class { 'c196': stage => 's196' }
class { 'c197': stage => 's197' }
class { 'c198': stage => 's198' }
class { 'c199': stage => 's199' }
class { 'c200': stage => 's200' }
class { 'c201': stage => 's201' }
class { 'c202': stage => 's202' }
class { 'c203': stage => 's203' }
class { 'c204': stage => 's204' }
class { 'c205': stage => 's205' }
class { 'c206': stage => 's206' }
class { 'c207': stage => 's207' }
class { 'c208': stage => 's208' }
class { 'c209': stage => 's209' }
class { 'c210': stage => 's210' }
class { 'c211': stage => 's211' }
class { 'c212': stage => 's212' }
class { 'c213': stage => 's213' }
class { 'c214': stage => 's214' }
class { 'c215': stage => 's215' }
class { 'c216': stage => 's216' }
class { 'c217': stage => 's217' }
class { 'c218': stage => 's218' }
class { 'c219': stage => 's219' }
class { 'c220': stage => 's220' }
class { 'c221': stage => 's221' }
class { 'c222': stage => 's222' }
class { 'c223': stage => 's223' }
class { 'c224': stage => 's224' }
class { 'c225': stage => 's225' }
class { 'c226': stage => 's226' }
class { 'c227': stage => 's227' }
class { 'c228': stage => 's228' }
class { 'c229': stage => 's229' }
class { 'c230': stage => 's230' }
class { 'c231': stage => 's231' }
class { 'c232': stage => 's232' }
class { 'c233': stage => 's233' }
class { 'c234': stage => 's234' }
class { 'c235': stage => 's235' }
class { 'c236': stage => 's236' }
class { 'c237': stage => 's237' }
class { 'c238': stage => 's238' }
class { 'c239': stage => 's239' }
class { 'c240': stage => 's240' }
class { 'c241': stage => 's241' }
class { 'c242': stage => 's242' }
class { 'c243': stage => 's243' }
class { 'c244': stage => 's244' }
class { 'c245': stage => 's245' }
class { 'c246': stage => 's246' }
class { 'c247': stage => 's247' }
class { 'c248': stage => 's248' }
class { 'c249': stage => 's249' }
class { 'c250': stage => 's250' }
class { 'c251': stage => 's251' }
class { 'c252': stage => 's252' }
class { 'c253': stage => 's253' }
class { 'c254': stage => 's254' }
class { 'c255': stage => 's255' }
class { 'c256': stage => 's256' }
class { 'c257': stage => 's257' }
class { 'c258': stage => 's258' }
class { 'c259': stage => 's259' }
class { 'c260': stage => 's260' }
class { 'c261': stage => 's261' }
class { 'c262': stage => 's262' }
class { 'c263': stage => 's263' }
class { 'c264': stage => 's264' }
class { 'c265': stage => 's265' }
class { 'c266': stage => 's266' }
class { 'c267': stage => 's267' }
class { 'c268': stage => 's268' }
class { 'c269': stage => 's269' }
class { 'c270': stage => 's270' }
class { 'c271': stage => 's271' }
class { 'c272': stage => 's272' }
class { 'c273': stage => 's273' }
class { 'c274': stage => 's274' }
class { 'c275': stage => 's275' }
class { 'c276': stage => 's276' }
class { 'c277': stage => 's277' }
class { 'c278': stage => 's278' }
class { 'c279': stage => 's279' }
class { 'c280': stage => 's280' }
class { 'c281': stage => 's281' }
class { 'c282': stage => 's282' }
class { 'c283': stage => 's283' }
class { 'c284': stage => 's284' }
class { 'c285': stage => 's285' }
class { 'c286': stage => 's286' }
class { 'c287': stage => 's287' }
class { 'c288': stage => 's288' }
class { 'c289': stage => 's289' }
class { 'c290': stage => 's290' }
class { 'c291': stage => 's291' }
class { 'c292': stage => 's292' }
class { 'c293': stage => 's293' }
class { 'c294': stage => 's294' }
class { 'c295': stage => 's295' }
class { 'c296': stage => 's296' }
class { 'c297': stage => 's297' }
class { 'c298': stage => 's298' }
class { 'c299': stage => 's299' }
class { 'c300': stage => 's300' }
class { 'c301': stage => 's301' }
class { 'c302': stage => 's302' }
class { 'c303': stage => 's303' }
class { 'c304': stage => 's304' }
class { 'c305': stage => 's305' }
class { 'c306': stage => 's306' }
class { 'c307': stage => 's307' }
class { 'c308': stage => 's308' }
class { 'c309': stage => 's309' }
class { 'c310': stage => 's310' }
class { 'c311': stage => 's311' }
class { 'c312': stage => 's312' }
class { 'c313': stage => 's313' }
class { 'c314': stage => 's314' }
class { 'c315': stage => 's315' }
class { 'c316': stage => 's316' }
class { 'c317': stage => 's317' }
class { 'c318': stage => 's318' }
class { 'c319': stage => 's319' }
class { 'c320': stage => 's320' }
class { 'c321': stage => 's321' }
class { 'c322': stage => 's322' }
class { 'c323': stage => 's323' }
class { 'c324': stage => 's324' }
class { 'c325': stage => 's325' }
class { 'c326': stage => 's326' }
class { 'c327': stage => 's327' }
class { 'c328': stage => 's328' }
class { 'c329': stage => 's329' }
class { 'c330': stage => 's330' }
class { 'c331': stage => 's331' }
class { 'c332': stage => 's332' }
class { 'c333': stage => 's333' }
class { 'c334': stage => 's334' }
class { 'c335': stage => 's335' }
class { 'c336': stage => 's336' }
class { 'c337': stage => 's337' }
class { 'c338': stage => 's338' }
class { 'c339': stage => 's339' }
class { 'c340': stage => 's340' }
class { 'c341': stage => 's341' }
class { 'c342': stage => 's342' }
class { 'c343': stage => 's343' }
class { 'c344': stage => 's344' }
class { 'c345': stage => 's345' }
class { 'c346': stage => 's346' }
class { 'c347': stage => 's347' }
class { 'c348': stage => 's348' }
class { 'c349': stage => 's349' }
class { 'c350': stage => 's350' }
class { 'c351': stage => 's351' }
class { 'c352': stage => 's352' }
class { 'c353': stage => 's353' }
class { 'c354': stage => 's354' }
class { 'c355': stage => 's355' }
class { 'c356': stage => 's356' }
class { 'c357': stage => 's357' }
class { 'c358': stage => 's358' }
class { 'c359': stage => 's359' }
class { 'c360': stage => 's360' }
class { 'c361': stage => 's361' }
class { 'c362': stage => 's362' }
class { 'c363': stage => 's363' }
class { 'c364': stage => 's364' }
class { 'c365': stage => 's365' }
class { 'c366': stage => 's366' }
class { 'c367': stage => 's367' }
class { 'c368': stage => 's368' }
class { 'c369': stage => 's369' }
class { 'c370': stage => 's370' }
class { 'c371': stage => 's371' }
class { 'c372': stage => 's372' }
class { 'c373': stage => 's373' }
class { 'c374': stage => 's374' }
class { 'c375': stage => 's375' }
class { 'c376': stage => 's376' }
class { 'c377': stage => 's377' }
class { 'c378': stage => 's378' }
class { 'c379': stage => 's379' }
class { 'c380': stage => 's380' }
class { 'c381': stage => 's381' }
class { 'c382': stage => 's382' }
class { 'c383': stage => 's383' }
class { 'c384': stage => 's384' }
class { 'c385': stage => 's385' }
class { 'c386': stage => 's386' }
class { 'c387': stage => 's387' }
class { 'c388': stage => 's388' }
class { 'c389': stage => 's389' }
class { 'c390': stage => 's390' }
class { 'c391': stage => 's391' }
class { 'c392': stage => 's392' }
class { 'c393': stage => 's393' }
class { 'c394': stage => 's394' }
class { 'c395': stage => 's395' }
class { 'c396': stage => 's396' }
class { 'c397': stage => 's397' }
class { 'c398': stage => 's398' }
class { 'c399': stage => 's399' }
class { 'c400': stage => 's400' }
class { 'c401': stage => 's401' }
class { 'c402': stage => 's402' }
class { 'c403': stage => 's403' }
class { 'c404': stage => 's404' }
class { 'c405': stage => 's405' }
class { 'c406': stage => 's406' }
class { 'c407': stage => 's407' }
class { 'c408': stage => 's408' }
class { 'c409': stage => 's409' }
class { 'c410': stage => 's410' }
class { 'c411': stage => 's411' }
class { 'c412': stage => 's412' }
class { 'c413': stage => 's413' }
class { 'c414': stage => 's414' }
class { 'c415': stage => 's415' }
class { 'c416': stage => 's416' }
class { 'c417': stage => 's417' }
class { 'c418': stage => 's418' }
class { 'c419': stage => 's419' }
class { 'c420': stage => 's420' }
class { 'c421': stage => 's421' }
class { 'c422': stage => 's422' }
class { 'c423': stage => 's423' }
class { 'c424': stage => 's424' }
class { 'c425': stage => 's425' }
class { 'c426': stage => 's426' }
class { 'c427': stage => 's427' }
class { 'c428': stage => 's428' }
class { 'c429': stage => 's429' }
class { 'c430': stage => 's430' }
class { 'c431': stage => 's431' }
class { 'c432': stage => 's432' }
class { 'c433': stage => 's433' }
class { 'c434': stage => 's434' }
class { 'c435': stage => 's435' }
class { 'c436': stage => 's436' }
class { 'c437': stage => 's437' }
class { 'c438': stage => 's438' }
class { 'c439': stage => 's439' }
class { 'c440': stage => 's440' }
class { 'c441': stage => 's441' }
class { 'c442': stage => 's442' }
class { 'c443': stage => 's443' }
class { 'c444': stage => 's444' }
class { 'c445': stage => 's445' }
class { 'c446': stage => 's446' }
class { 'c447': stage => 's447' }
class { 'c448': stage => 's448' }
class { 'c449': stage => 's449' }
class { 'c450': stage => 's450' }
class { 'c451': stage => 's451' }
class { 'c452': stage => 's452' }
class { 'c453': stage => 's453' }
class { 'c454': stage => 's454' }
class { 'c455': stage => 's455' }
class { 'c456': stage => 's456' }
class { 'c457': stage => 's457' }
class { 'c458': stage => 's458' }
class { 'c459': stage => 's459' }
class { 'c460': stage => 's460' }
class { 'c461': stage => 's461' }
class { 'c462': stage => 's462' }
class { 'c463': stage => 's463' }
class { 'c464': stage => 's464' }
class { 'c465': stage => 's465' }
class { 'c466': stage => 's466' }
class { 'c467': stage => 's467' }
class { 'c468': stage => 's468' }
class { 'c469': stage => 's469' }
class { 'c470': stage => 's470' }
class { 'c471': stage => 's471' }
class { 'c472': stage => 's472' }
class { 'c473': stage => 's473' }
class { 'c474': stage => 's474' }
class { 'c475': stage => 's475' }
class { 'c476': stage => 's476' }
class { 'c477': stage => 's477' }
class { 'c478': stage => 's478' }
class { 'c479': stage => 's479' }
class { 'c480': stage => 's480' }
class { 'c481': stage => 's481' }
class { 'c482': stage => 's482' }
class { 'c483': stage => 's483' }
class { 'c484': stage => 's484' }
class { 'c485': stage => 's485' }
class { 'c486': stage => 's486' }
class { 'c487': stage => 's487' }
class { 'c488': stage => 's488' }
class { 'c489': stage => 's489' }
class { 'c490': stage => 's490' }
class { 'c491': stage => 's491' }
class { 'c492': stage => 's492' }
class { 'c493': stage => 's493' }
class { 'c494': stage => 's494' }
class { 'c495': stage => 's495' }
class { 'c496': stage => 's496' }
class { 'c497': stage => 's497' }
class { 'c498': stage => 's498' }
class { 'c499': stage => 's499' }
class { 'c500': stage => 's500' }
class { 'c501': stage => 's501' }
class { 'c502': stage => 's502' }
class { 'c503': stage => 's503' }
class { 'c504': stage => 's504' }
class { 'c505': stage => 's505' }
class { 'c506': stage => 's506' }
class { 'c507': stage => 's507' }
class { 'c508': stage => 's508' }
class { 'c509': stage => 's509' }
class { 'c510': stage => 's510' }
class { 'c511': stage => 's511' }
class { 'c512': stage => 's512' }
class { 'c513': stage => 's513' }
class { 'c514': stage => 's514' }
class { 'c515': stage => 's515' }
class { 'c516': stage => 's516' }
class { 'c517': stage => 's517' }
class { 'c518': stage => 's518' }
class { 'c519': stage => 's519' }
class { 'c520': stage => 's520' }
class { 'c521': stage => 's521' }
class { 'c522': stage => 's522' }
class { 'c523': stage => 's523' }
class { 'c524': stage => 's524' }
class { 'c525': stage => 's525' }
class { 'c526': stage => 's526' }
class { 'c527': stage => 's527' }
class { 'c528': stage => 's528' }
class { 'c529': stage => 's529' }
class { 'c530': stage => 's530' }
class { 'c531': stage => 's531' }
class { 'c532': stage => 's532' }
class { 'c533': stage => 's533' }
class { 'c534': stage => 's534' }
class { 'c535': stage => 's535' }
class { 'c536': stage => 's536' }
class { 'c537': stage => 's537' }
class { 'c538': stage => 's538' }
class { 'c539': stage => 's539' }
class { 'c540': stage => 's540' }
class { 'c541': stage => 's541' }
class { 'c542': stage => 's542' }
class { 'c543': stage => 's543' }
class { 'c544': stage => 's544' }
class { 'c545': stage => 's545' }
class { 'c546': stage => 's546' }
class { 'c547': stage => 's547' }
class { 'c548': stage => 's548' }
class { 'c549': stage => 's549' }
class { 'c550': stage => 's550' }
class { 'c551': stage => 's551' }
class { 'c552': stage => 's552' }
class { 'c553': stage => 's553' }
class { 'c554': stage => 's554' }
class { 'c555': stage => 's555' }
class { 'c556': stage => 's556' }
class { 'c557': stage => 's557' }
class { 'c558': stage => 's558' }
class { 'c559': stage => 's559' }
class { 'c560': stage => 's560' }
class { 'c561': stage => 's561' }
class { 'c562': stage => 's562' }
class { 'c563': stage => 's563' }
class { 'c564': stage => 's564' }
class { 'c565': stage => 's565' }
class { 'c566': stage => 's566' }
class { 'c567': stage => 's567' }
class { 'c568': stage => 's568' }
class { 'c569': stage => 's569' }
class { 'c570': stage => 's570' }
class { 'c571': stage => 's571' }
class { 'c572': stage => 's572' }
class { 'c573': stage => 's573' }
class { 'c574': stage => 's574' }
class { 'c575': stage => 's575' }
class { 'c576': stage => 's576' }
class { 'c577': stage => 's577' }
class { 'c578': stage => 's578' }
class { 'c579': stage => 's579' }
class { 'c580': stage => 's580' }
class { 'c581': stage => 's581' }
class { 'c582': stage => 's582' }
class { 'c583': stage => 's583' }
class { 'c584': stage => 's584' }
class { 'c585': stage => 's585' }
class { 'c586': stage => 's586' }
class { 'c587': stage => 's587' }
class { 'c588': stage => 's588' }
class { 'c589': stage => 's589' }
class { 'c590': stage => 's590' }
class { 'c591': stage => 's591' }
class { 'c592': stage => 's592' }
class { 'c593': stage => 's593' }
class { 'c594': stage => 's594' }
class { 'c595': stage => 's595' }
class { 'c596': stage => 's596' }
class { 'c597': stage => 's597' }
class { 'c598': stage => 's598' }
class { 'c599': stage => 's599' }
class { 'c600': stage => 's600' }
class { 'c601': stage => 's601' }
class { 'c602': stage => 's602' }
class { 'c603': stage => 's603' }
class { 'c604': stage => 's604' }
class { 'c605': stage => 's605' }
class { 'c606': stage => 's606' }
class { 'c607': stage => 's607' }
class { 'c608': stage => 's608' }
class { 'c609': stage => 's609' }
class { 'c610': stage => 's610' }
class { 'c611': stage => 's611' }
class { 'c612': stage => 's612' }
class { 'c613': stage => 's613' }
class { 'c614': stage => 's614' }
class { 'c615': stage => 's615' }
class { 'c616': stage => 's616' }
class { 'c617': stage => 's617' }
class { 'c618': stage => 's618' }
class { 'c619': stage => 's619' }
class { 'c620': stage => 's620' }
class { 'c621': stage => 's621' }
class { 'c622': stage => 's622' }
class { 'c623': stage => 's623' }
class { 'c624': stage => 's624' }
class { 'c625': stage => 's625' }
class { 'c626': stage => 's626' }
class { 'c627': stage => 's627' }
class { 'c628': stage => 's628' }
class { 'c629': stage => 's629' }
class { 'c630': stage => 's630' }
class { 'c631': stage => 's631' }
class { 'c632': stage => 's632' }
class { 'c633': stage => 's633' }
class { 'c634': stage => 's634' }
class { 'c635': stage => 's635' }
class { 'c636': stage => 's636' }
class { 'c637': stage => 's637' }
class { 'c638': stage => 's638' }
class { 'c639': stage => 's639' }
class { 'c640': stage => 's640' }
class { 'c641': stage => 's641' }
class { 'c642': stage => 's642' }
class { 'c643': stage => 's643' }
class { 'c644': stage => 's644' }
class { 'c645': stage => 's645' }
class { 'c646': stage => 's646' }
class { 'c647': stage => 's647' }
class { 'c648': stage => 's648' }
class { 'c649': stage => 's649' }
class { 'c650': stage => 's650' }
class { 'c651': stage => 's651' }
class { 'c652': stage => 's652' }
class { 'c653': stage => 's653' }
class { 'c654': stage => 's654' }
class { 'c655': stage => 's655' }
class { 'c656': stage => 's656' }
class { 'c657': stage => 's657' }
class { 'c658': stage => 's658' }
class { 'c659': stage => 's659' }
class { 'c660': stage => 's660' }
class { 'c661': stage => 's661' }
class { 'c662': stage => 's662' }
class { 'c663': stage => 's663' }
class { 'c664': stage => 's664' }
class { 'c665': stage => 's665' }
class { 'c666': stage => 's666' }
class { 'c667': stage => 's667' }
class { 'c668': stage => 's668' }
class { 'c669': stage => 's669' }
class { 'c670': stage => 's670' }
class { 'c671': stage => 's671' }
class { 'c672': stage => 's672' }
class { 'c673': stage => 's673' }
class { 'c674': stage => 's674' }
class { 'c675': stage => 's675' }
class { 'c676': stage => 's676' }
class { 'c677': stage => 's677' }
class { 'c678': stage => 's678' }
class { 'c679': stage => 's679' }
class { 'c680': stage => 's680' }
class { 'c681': stage => 's681' }
class { 'c682': stage => 's682' }
class { 'c683': stage => 's683' }
class { 'c684': stage => 's684' }
class { 'c685': stage => 's685' }
class { 'c686': stage => 's686' }
class { 'c687': stage => 's687' }
class { 'c688': stage => 's688' }
class { 'c689': stage => 's689' }
class { 'c690': stage => 's690' }
class { 'c691': stage => 's691' }
class { 'c692': stage => 's692' }
class { 'c693': stage => 's693' }
class { 'c694': stage => 's694' }
class { 'c695': stage => 's695' }
class { 'c696': stage => 's696' }
class { 'c697': stage => 's697' }
class { 'c698': stage => 's698' }
class { 'c699': stage => 's699' }
class { 'c700': stage => 's700' }
class { 'c701': stage => 's701' }
class { 'c702': stage => 's702' }
class { 'c703': stage => 's703' }
class { 'c704': stage => 's704' }
class { 'c705': stage => 's705' }
class { 'c706': stage => 's706' }
class { 'c707': stage => 's707' }
class { 'c708': stage => 's708' }
class { 'c709': stage => 's709' }
class { 'c710': stage => 's710' }
class { 'c711': stage => 's711' }
class { 'c712': stage => 's712' }
class { 'c713': stage => 's713' }
class { 'c714': stage => 's714' }
class { 'c715': stage => 's715' }
class { 'c716': stage => 's716' }
class { 'c717': stage => 's717' }
class { 'c718': stage => 's718' }
class { 'c719': stage => 's719' }
class { 'c720': stage => 's720' }
class { 'c721': stage => 's721' }
class { 'c722': stage => 's722' }
class { 'c723': stage => 's723' }
class { 'c724': stage => 's724' }
class { 'c725': stage => 's725' }
class { 'c726': stage => 's726' }
class { 'c727': stage => 's727' }
class { 'c728': stage => 's728' }
class { 'c729': stage => 's729' }
class { 'c730': stage => 's730' }
class { 'c731': stage => 's731' }
class { 'c732': stage => 's732' }
class { 'c733': stage => 's733' }
class { 'c734': stage => 's734' }
class { 'c735': stage => 's735' }
class { 'c736': stage => 's736' }
class { 'c737': stage => 's737' }
class { 'c738': stage => 's738' }
class { 'c739': stage => 's739' }
class { 'c740': stage => 's740' }
class { 'c741': stage => 's741' }
class { 'c742': stage => 's742' }
class { 'c743': stage => 's743' }
class { 'c744': stage => 's744' }
class { 'c745': stage => 's745' }
class { 'c746': stage => 's746' }
class { 'c747': stage => 's747' }
class { 'c748': stage => 's748' }
class { 'c749': stage => 's749' }
class { 'c750': stage => 's750' }
class { 'c751': stage => 's751' }
class { 'c752': stage => 's752' }
class { 'c753': stage => 's753' }
class { 'c754': stage => 's754' }
class { 'c755': stage => 's755' }
class { 'c756': stage => 's756' }
class { 'c757': stage => 's757' }
class { 'c758': stage => 's758' }
class { 'c759': stage => 's759' }
class { 'c760': stage => 's760' }
class { 'c761': stage => 's761' }
class { 'c762': stage => 's762' }
class { 'c763': stage => 's763' }
class { 'c764': stage => 's764' }
class { 'c765': stage => 's765' }
class { 'c766': stage => 's766' }
class { 'c767': stage => 's767' }
class { 'c768': stage => 's768' }
class { 'c769': stage => 's769' }
class { 'c770': stage => 's770' }
class { 'c771': stage => 's771' }
class { 'c772': stage => 's772' }
class { 'c773': stage => 's773' }
class { 'c774': stage => 's774' }
class { 'c775': stage => 's775' }
class { 'c776': stage => 's776' }
class { 'c777': stage => 's777' }
class { 'c778': stage => 's778' }
class { 'c779': stage => 's779' }
class { 'c780': stage => 's780' }
class { 'c781': stage => 's781' }
class { 'c782': stage => 's782' }
class { 'c783': stage => 's783' }
class { 'c784': stage => 's784' }
class { 'c785': stage => 's785' }
class { 'c786': stage => 's786' }
class { 'c787': stage => 's787' }
class { 'c788': stage => 's788' }
class { 'c789': stage => 's789' }
class { 'c790': stage => 's790' }
class { 'c791': stage => 's791' }
class { 'c792': stage => 's792' }
class { 'c793': stage => 's793' }
class { 'c794': stage => 's794' }
class { 'c795': stage => 's795' }
class { 'c796': stage => 's796' }
class { 'c797': stage => 's797' }
class { 'c798': stage => 's798' }
class { 'c799': stage => 's799' }
class { 'c800': stage => 's800' }
class { 'c801': stage => 's801' }
class { 'c802': stage => 's802' }
class { 'c803': stage => 's803' }
class { 'c804': stage => 's804' }
class { 'c805': stage => 's805' }
class { 'c806': stage => 's806' }
class { 'c807': stage => 's807' }
class { 'c808': stage => 's808' }
class { 'c809': stage => 's809' }
class { 'c810': stage => 's810' }
class { 'c811': stage => 's811' }
class { 'c812': stage => 's812' }
class { 'c813': stage => 's813' }
class { 'c814': stage => 's814' }
class { 'c815': stage => 's815' }
class { 'c816': stage => 's816' }
class { 'c817': stage => 's817' }
class { 'c818': stage => 's818' }
class { 'c819': stage => 's819' }
class { 'c820': stage => 's820' }
class { 'c821': stage => 's821' }
class { 'c822': stage => 's822' }
class { 'c823': stage => 's823' }
class { 'c824': stage => 's824' }
class { 'c825': stage => 's825' }
class { 'c826': stage => 's826' }
class { 'c827': stage => 's827' }
class { 'c828': stage => 's828' }
class { 'c829': stage => 's829' }
class { 'c830': stage => 's830' }
class { 'c831': stage => 's831' }
class { 'c832': stage => 's832' }
class { 'c833': stage => 's833' }
class { 'c834': stage => 's834' }
class { 'c835': stage => 's835' }
class { 'c836': stage => 's836' }
class { 'c837': stage => 's837' }
class { 'c838': stage => 's838' }
class { 'c839': stage => 's839' }
class { 'c840': stage => 's840' }
class { 'c841': stage => 's841' }
class { 'c842': stage => 's842' }
class { 'c843': stage => 's843' }
class { 'c844': stage => 's844' }
class { 'c845': stage => 's845' }
class { 'c846': stage => 's846' }
class { 'c847': stage => 's847' }
class { 'c848': stage => 's848' }
class { 'c849': stage => 's849' }
class { 'c850': stage => 's850' }
class { 'c851': stage => 's851' }
class { 'c852': stage => 's852' }
class { 'c853': stage => 's853' }
class { 'c854': stage => 's854' }
class { 'c855': stage => 's855' }
class { 'c856': stage => 's856' }
class { 'c857': stage => 's857' }
class { 'c858': stage => 's858' }
class { 'c859': stage => 's859' }
class { 'c860': stage => 's860' }
class { 'c861': stage => 's861' }
class { 'c862': stage => 's862' }
class { 'c863': stage => 's863' }
class { 'c864': stage => 's864' }
class { 'c865': stage => 's865' }
class { 'c866': stage => 's866' }
class { 'c867': stage => 's867' }
class { 'c868': stage => 's868' }
class { 'c869': stage => 's869' }
class { 'c870': stage => 's870' }
class { 'c871': stage => 's871' }
class { 'c872': stage => 's872' }
class { 'c873': stage => 's873' }
class { 'c874': stage => 's874' }
class { 'c875': stage => 's875' }
class { 'c876': stage => 's876' }
class { 'c877': stage => 's877' }
class { 'c878': stage => 's878' }
class { 'c879': stage => 's879' }
class { 'c880': stage => 's880' }
class { 'c881': stage => 's881' }
class { 'c882': stage => 's882' }
class { 'c883': stage => 's883' }
class { 'c884': stage => 's884' }
class { 'c885': stage => 's885' }
class { 'c886': stage => 's886' }
class { 'c887': stage => 's887' }
class { 'c888': stage => 's888' }
class { 'c889': stage => 's889' }
class { 'c890': stage => 's890' }
class { 'c891': stage => 's891' }
class { 'c892': stage => 's892' }
class { 'c893': stage => 's893' }
class { 'c894': stage => 's894' }
class { 'c895': stage => 's895' }
class { 'c896': stage => 's896' }
class { 'c897': stage => 's897' }
class { 'c898': stage => 's898' }
class { 'c899': stage => 's899' }
class { 'c900': stage => 's900' }
class { 'c901': stage => 's901' }
class { 'c902': stage => 's902' }
class { 'c903': stage => 's903' }
class { 'c904': stage => 's904' }
class { 'c905': stage => 's905' }
class { 'c906': stage => 's906' }
class { 'c907': stage => 's907' }
class { 'c908': stage => 's908' }
class { 'c909': stage => 's909' }
class { 'c910': stage => 's910' }
class { 'c911': stage => 's911' }
class { 'c912': stage => 's912' }
class { 'c913': stage => 's913' }
class { 'c914': stage => 's914' }
class { 'c915': stage => 's915' }
class { 'c916': stage => 's916' }
class { 'c917': stage => 's917' }
class { 'c918': stage => 's918' }
class { 'c919': stage => 's919' }
class { 'c920': stage => 's920' }
class { 'c921': stage => 's921' }
class { 'c922': stage => 's922' }
class { 'c923': stage => 's923' }
class { 'c924': stage => 's924' }
class { 'c925': stage => 's925' }
class { 'c926': stage => 's926' }
class { 'c927': stage => 's927' }
class { 'c928': stage => 's928' }
class { 'c929': stage => 's929' }
class { 'c930': stage => 's930' }
class { 'c931': stage => 's931' }
class { 'c932': stage => 's932' }
class { 'c933': stage => 's933' }
class { 'c934': stage => 's934' }
class { 'c935': stage => 's935' }
class { 'c936': stage => 's936' }
class { 'c937': stage => 's937' }
class { 'c938': stage => 's938' }
class { 'c939': stage => 's939' }
class { 'c940': stage => 's940' }
class { 'c941': stage => 's941' }
class { 'c942': stage => 's942' }
class { 'c943': stage => 's943' }
class { 'c944': stage => 's944' }
class { 'c945': stage => 's945' }
class { 'c946': stage => 's946' }
class { 'c947': stage => 's947' }
class { 'c948': stage => 's948' }
class { 'c949': stage => 's949' }
class { 'c950': stage => 's950' }
class { 'c951': stage => 's951' }
class { 'c952': stage => 's952' }
class { 'c953': stage => 's953' }
class { 'c954': stage => 's954' }
class { 'c955': stage => 's955' }
class { 'c956': stage => 's956' }
class { 'c957': stage => 's957' }
class { 'c958': stage => 's958' }
class { 'c959': stage => 's959' }
class { 'c960': stage => 's960' }
class { 'c961': stage => 's961' }
class { 'c962': stage => 's962' }
class { 'c963': stage => 's963' }
class { 'c964': stage => 's964' }
class { 'c965': stage => 's965' }
class { 'c966': stage => 's966' }
class { 'c967': stage => 's967' }
class { 'c968': stage => 's968' }
class { 'c969': stage => 's969' }
class { 'c970': stage => 's970' }
class { 'c971': stage => 's971' }
class { 'c972': stage => 's972' }
class { 'c973': stage => 's973' }
class { 'c974': stage => 's974' }
class { 'c975': stage => 's975' }
class { 'c976': stage => 's976' }
class { 'c977': stage => 's977' }
class { 'c978': stage => 's978' }
class { 'c979': stage => 's979' }
class { 'c980': stage => 's980' }
class { 'c981': stage => 's981' }
class { 'c982': stage => 's982' }
class { 'c983': stage => 's983' }
class { 'c984': stage => 's984' }
class { 'c985': stage => 's985' }
class { 'c986': stage => 's986' }
class { 'c987': stage => 's987' }
class { 'c988': stage => 's988' }
class { 'c989': stage => 's989' }
class { 'c990': stage => 's990' }
class { 'c991': stage => 's991' }
class { 'c992': stage => 's992' }
class { 'c993': stage => 's993' }
class { 'c994': stage => 's994' }
class { 'c995': stage => 's995' }
class { 'c996': stage => 's996' }
class { 'c997': stage => 's997' }
class { 'c998': stage => 's998' }
class { 'c999': stage => 's999' }
class { 'c1000': stage => 's1000' }
class { 'c1001': stage => 's1001' }
class { 'c1002': stage => 's1002' }
class { 'c1003': stage => 's1003' }
class { 'c1004': stage => 's1004' }
class { 'c1005': stage => 's1005' }
class { 'c1006': stage => 's1006' }
class { 'c1007': stage => 's1007' }
class { 'c1008': stage => 's1008' }
class { 'c1009': stage => 's1009' }
class { 'c1010': stage => 's1010' }
class { 'c1011': stage => 's1011' }
class { 'c1012': stage => 's1012' }
class { 'c1013': stage => 's1013' }
class { 'c1014': stage => 's1014' }
class { 'c1015': stage => 's1015' }
class { 'c1016': stage => 's1016' }
class { 'c1017': stage => 's1017' }
class { 'c1018': stage => 's1018' }
class { 'c1019': stage => 's1019' }
class { 'c1020': stage => 's1020' }
class { 'c1021': stage => 's1021' }
class { 'c1022': stage => 's1022' }
class { 'c1023': stage => 's1023' }
class { 'c1024': stage => 's1024' }
class { 'c1025': stage => 's1025' }
class { 'c1026': stage => 's1026' }
class { 'c1027': stage => 's1027' }
class { 'c1028': stage => 's1028' }
class { 'c1029': stage => 's1029' }
class { 'c1030': stage => 's1030' }
class { 'c1031': stage => 's1031' }
class { 'c1032': stage => 's1032' }
class { 'c1033': stage => 's1033' }
class { 'c1034': stage => 's1034' }
class { 'c1035': stage => 's1035' }
class { 'c1036': stage => 's1036' }
class { 'c1037': stage => 's1037' }
class { 'c1038': stage => 's1038' }
class { 'c1039': stage => 's1039' }
class { 'c1040': stage => 's1040' }
class { 'c1041': stage => 's1041' }
class { 'c1042': stage => 's1042' }
class { 'c1043': stage => 's1043' }
class { 'c1044': stage => 's1044' }
class { 'c1045': stage => 's1045' }
class { 'c1046': stage => 's1046' }
class { 'c1047': stage => 's1047' }
class { 'c1048': stage => 's1048' }
class { 'c1049': stage => 's1049' }
class { 'c1050': stage => 's1050' }
class { 'c1051': stage => 's1051' }
class { 'c1052': stage => 's1052' }
class { 'c1053': stage => 's1053' }
class { 'c1054': stage => 's1054' }
class { 'c1055': stage => 's1055' }
class { 'c1056': stage => 's1056' }
class { 'c1057': stage => 's1057' }
class { 'c1058': stage => 's1058' }
class { 'c1059': stage => 's1059' }
class { 'c1060': stage => 's1060' }
class { 'c1061': stage => 's1061' }
class { 'c1062': stage => 's1062' }
class { 'c1063': stage => 's1063' }
class { 'c1064': stage => 's1064' }
class { 'c1065': stage => 's1065' }
class { 'c1066': stage => 's1066' }
class { 'c1067': stage => 's1067' }
class { 'c1068': stage => 's1068' }
class { 'c1069': stage => 's1069' }
class { 'c1070': stage => 's1070' }
class { 'c1071': stage => 's1071' }
class { 'c1072': stage => 's1072' }
class { 'c1073': stage => 's1073' }
class { 'c1074': stage => 's1074' }
class { 'c1075': stage => 's1075' }
class { 'c1076': stage => 's1076' }
class { 'c1077': stage => 's1077' }
class { 'c1078': stage => 's1078' }
class { 'c1079': stage => 's1079' }
class { 'c1080': stage => 's1080' }
class { 'c1081': stage => 's1081' }
class { 'c1082': stage => 's1082' }
class { 'c1083': stage => 's1083' }
class { 'c1084': stage => 's1084' }
class { 'c1085': stage => 's1085' }
class { 'c1086': stage => 's1086' }
class { 'c1087': stage => 's1087' }
class { 'c1088': stage => 's1088' }
class { 'c1089': stage => 's1089' }
class { 'c1090': stage => 's1090' }
class { 'c1091': stage => 's1091' }
class { 'c1092': stage => 's1092' }
class { 'c1093': stage => 's1093' }
class { 'c1094': stage => 's1094' }
class { 'c1095': stage => 's1095' }
class { 'c1096': stage => 's1096' }
class { 'c1097': stage => 's1097' }
class { 'c1098': stage => 's1098' }
class { 'c1099': stage => 's1099' }
class { 'c1100': stage => 's1100' }
class { 'c1101': stage => 's1101' }
class { 'c1102': stage => 's1102' }
class { 'c1103': stage => 's1103' }
class { 'c1104': stage => 's1104' }
class { 'c1105': stage => 's1105' }
class { 'c1106': stage => 's1106' }
class { 'c1107': stage => 's1107' }
class { 'c1108': stage => 's1108' }
class { 'c1109': stage => 's1109' }
class { 'c1110': stage => 's1110' }
class { 'c1111': stage => 's1111' }
class { 'c1112': stage => 's1112' }
class { 'c1113': stage => 's1113' }
class { 'c1114': stage => 's1114' }
class { 'c1115': stage => 's1115' }
class { 'c1116': stage => 's1116' }
class { 'c1117': stage => 's1117' }
class { 'c1118': stage => 's1118' }
class { 'c1119': stage => 's1119' }
class { 'c1120': stage => 's1120' }
class { 'c1121': stage => 's1121' }
class { 'c1122': stage => 's1122' }
class { 'c1123': stage => 's1123' }
class { 'c1124': stage => 's1124' }
class { 'c1125': stage => 's1125' }
class { 'c1126': stage => 's1126' }
class { 'c1127': stage => 's1127' }
class { 'c1128': stage => 's1128' }
class { 'c1129': stage => 's1129' }
class { 'c1130': stage => 's1130' }
class { 'c1131': stage => 's1131' }
class { 'c1132': stage => 's1132' }
class { 'c1133': stage => 's1133' }
class { 'c1134': stage => 's1134' }
class { 'c1135': stage => 's1135' }
class { 'c1136': stage => 's1136' }
class { 'c1137': stage => 's1137' }
class { 'c1138': stage => 's1138' }
class { 'c1139': stage => 's1139' }
class { 'c1140': stage => 's1140' }
class { 'c1141': stage => 's1141' }
class { 'c1142': stage => 's1142' }
class { 'c1143': stage => 's1143' }
class { 'c1144': stage => 's1144' }
class { 'c1145': stage => 's1145' }
class { 'c1146': stage => 's1146' }
class { 'c1147': stage => 's1147' }
class { 'c1148': stage => 's1148' }
class { 'c1149': stage => 's1149' }
class { 'c1150': stage => 's1150' }
class { 'c1151': stage => 's1151' }
class { 'c1152': stage => 's1152' }
class { 'c1153': stage => 's1153' }
class { 'c1154': stage => 's1154' }
class { 'c1155': stage => 's1155' }
class { 'c1156': stage => 's1156' }
class { 'c1157': stage => 's1157' }
class { 'c1158': stage => 's1158' }
class { 'c1159': stage => 's1159' }
class { 'c1160': stage => 's1160' }
class { 'c1161': stage => 's1161' }
class { 'c1162': stage => 's1162' }
class { 'c1163': stage => 's1163' }
class { 'c1164': stage => 's1164' }
class { 'c1165': stage => 's1165' }
class { 'c1166': stage => 's1166' }
class { 'c1167': stage => 's1167' }
class { 'c1168': stage => 's1168' }
class { 'c1169': stage => 's1169' }
class { 'c1170': stage => 's1170' }
class { 'c1171': stage => 's1171' }
class { 'c1172': stage => 's1172' }
class { 'c1173': stage => 's1173' }
class { 'c1174': stage => 's1174' }
class { 'c1175': stage => 's1175' }
class { 'c1176': stage => 's1176' }
class { 'c1177': stage => 's1177' }
class { 'c1178': stage => 's1178' }
class { 'c1179': stage => 's1179' }
class { 'c1180': stage => 's1180' }
class { 'c1181': stage => 's1181' }
class { 'c1182': stage => 's1182' }
class { 'c1183': stage => 's1183' }
class { 'c1184': stage => 's1184' }
class { 'c1185': stage => 's1185' }
class { 'c1186': stage => 's1186' }
class { 'c1187': stage => 's1187' }
class { 'c1188': stage => 's1188' }
class { 'c1189': stage => 's1189' }
class { 'c1190': stage => 's1190' }
class { 'c1191': stage => 's1191' }
class { 'c1192': stage => 's1192' }
class { 'c1193': stage => 's1193' }
class { 'c1194': stage => 's1194' }
class { 'c1195': stage => 's1195' }
class { 'c1196': stage => 's1196' }
class { 'c1197': stage => 's1197' }
class { 'c1198': stage => 's1198' }
class { 'c1199': stage => 's1199' }
class { 'c1200': stage => 's1200' }
class { 'c1201': stage => 's1201' }
class { 'c1202': stage => 's1202' }
class { 'c1203': stage => 's1203' }
class { 'c1204': stage => 's1204' }
class { 'c1205': stage => 's1205' }
class { 'c1206': stage => 's1206' }
class { 'c1207': stage => 's1207' }
class { 'c1208': stage => 's1208' }
class { 'c1209': stage => 's1209' }
class { 'c1210': stage => 's1210' }
class { 'c1211': stage => 's1211' }
class { 'c1212': stage => 's1212' }
class { 'c1213': stage => 's1213' }
class { 'c1214': stage => 's1214' }
class { 'c1215': stage => 's1215' }
class { 'c1216': stage => 's1216' }
class { 'c1217': stage => 's1217' }
class { 'c1218': stage => 's1218' }
class { 'c1219': stage => 's1219' }
class { 'c1220': stage => 's1220' }
class { 'c1221': stage => 's1221' }
class { 'c1222': stage => 's1222' }
class { 'c1223': stage => 's1223' }
class { 'c1224': stage => 's1224' }
class { 'c1225': stage => 's1225' }
class { 'c1226': stage => 's1226' }
class { 'c1227': stage => 's1227' }
class { 'c1228': stage => 's1228' }
class { 'c1229': stage => 's1229' }
class { 'c1230': stage => 's1230' }
class { 'c1231': stage => 's1231' }
class { 'c1232': stage => 's1232' }
class { 'c1233': stage => 's1233' }
class { 'c1234': stage => 's1234' }
class { 'c1235': stage => 's1235' }
class { 'c1236': stage => 's1236' }
class { 'c1237': stage => 's1237' }
class { 'c1238': stage => 's1238' }
class { 'c1239': stage => 's1239' }
class { 'c1240': stage => 's1240' }
class { 'c1241': stage => 's1241' }
class { 'c1242': stage => 's1242' }
class { 'c1243': stage => 's1243' }
class { 'c1244': stage => 's1244' }
class { 'c1245': stage => 's1245' }
class { 'c1246': stage => 's1246' }
class { 'c1247': stage => 's1247' }
class { 'c1248': stage => 's1248' }
class { 'c1249': stage => 's1249' }
class { 'c1250': stage => 's1250' }
class { 'c1251': stage => 's1251' }
class { 'c1252': stage => 's1252' }
class { 'c1253': stage => 's1253' }
class { 'c1254': stage => 's1254' }
class { 'c1255': stage => 's1255' }
class { 'c1256': stage => 's1256' }
class { 'c1257': stage => 's1257' }
class { 'c1258': stage => 's1258' }
class { 'c1259': stage => 's1259' }
class { 'c1260': stage => 's1260' }
class { 'c1261': stage => 's1261' }
class { 'c1262': stage => 's1262' }
class { 'c1263': stage => 's1263' }
class { 'c1264': stage => 's1264' }
class { 'c1265': stage => 's1265' }
class { 'c1266': stage => 's1266' }
class { 'c1267': stage => 's1267' }
class { 'c1268': stage => 's1268' }
class { 'c1269': stage => 's1269' }
class { 'c1270': stage => 's1270' }
class { 'c1271': stage => 's1271' }
class { 'c1272': stage => 's1272' }
class { 'c1273': stage => 's1273' }
class { 'c1274': stage => 's1274' }
class { 'c1275': stage => 's1275' }
class { 'c1276': stage => 's1276' }
class { 'c1277': stage => 's1277' }
class { 'c1278': stage => 's1278' }
class { 'c1279': stage => 's1279' }
class { 'c1280': stage => 's1280' }
class { 'c1281': stage => 's1281' }
class { 'c1282': stage => 's1282' }
class { 'c1283': stage => 's1283' }
class { 'c1284': stage => 's1284' }
class { 'c1285': stage => 's1285' }
class { 'c1286': stage => 's1286' }
class { 'c1287': stage => 's1287' }
class { 'c1288': stage => 's1288' }
class { 'c1289': stage => 's1289' }
class { 'c1290': stage => 's1290' }
class { 'c1291': stage => 's1291' }
class { 'c1292': stage => 's1292' }
class { 'c1293': stage => 's1293' }
class { 'c1294': stage => 's1294' }
class { 'c1295': stage => 's1295' }
class { 'c1296': stage => 's1296' }
class { 'c1297': stage => 's1297' }
class { 'c1298': stage => 's1298' }
class { 'c1299': stage => 's1299' }
class { 'c1300': stage => 's1300' }
class { 'c1301': stage => 's1301' }
class { 'c1302': stage => 's1302' }
class { 'c1303': stage => 's1303' }
class { 'c1304': stage => 's1304' }
class { 'c1305': stage => 's1305' }
class { 'c1306': stage => 's1306' }
class { 'c1307': stage => 's1307' }
class { 'c1308': stage => 's1308' }
class { 'c1309': stage => 's1309' }
class { 'c1310': stage => 's1310' }
class { 'c1311': stage => 's1311' }
class { 'c1312': stage => 's1312' }
class { 'c1313': stage => 's1313' }
class { 'c1314': stage => 's1314' }
class { 'c1315': stage => 's1315' }
class { 'c1316': stage => 's1316' }
class { 'c1317': stage => 's1317' }
class { 'c1318': stage => 's1318' }
class { 'c1319': stage => 's1319' }
class { 'c1320': stage => 's1320' }
class { 'c1321': stage => 's1321' }
class { 'c1322': stage => 's1322' }
class { 'c1323': stage => 's1323' }
class { 'c1324': stage => 's1324' }
class { 'c1325': stage => 's1325' }
class { 'c1326': stage => 's1326' }
class { 'c1327': stage => 's1327' }
class { 'c1328': stage => 's1328' }
class { 'c1329': stage => 's1329' }
class { 'c1330': stage => 's1330' }
class { 'c1331': stage => 's1331' }
class { 'c1332': stage => 's1332' }
class { 'c1333': stage => 's1333' }
class { 'c1334': stage => 's1334' }
class { 'c1335': stage => 's1335' }
class { 'c1336': stage => 's1336' }
class { 'c1337': stage => 's1337' }
class { 'c1338': stage => 's1338' }
class { 'c1339': stage => 's1339' }
class { 'c1340': stage => 's1340' }
class { 'c1341': stage => 's1341' }
class { 'c1342': stage => 's1342' }
class { 'c1343': stage => 's1343' }
class { 'c1344': stage => 's1344' }
class { 'c1345': stage => 's1345' }
class { 'c1346': stage => 's1346' }
class { 'c1347': stage => 's1347' }
class { 'c1348': stage => 's1348' }
class { 'c1349': stage => 's1349' }
class { 'c1350': stage => 's1350' }
class { 'c1351': stage => 's1351' }
class { 'c1352': stage => 's1352' }
class { 'c1353': stage => 's1353' }
class { 'c1354': stage => 's1354' }
class { 'c1355': stage => 's1355' }
class { 'c1356': stage => 's1356' }
class { 'c1357': stage => 's1357' }
class { 'c1358': stage => 's1358' }
class { 'c1359': stage => 's1359' }
class { 'c1360': stage => 's1360' }
class { 'c1361': stage => 's1361' }
class { 'c1362': stage => 's1362' }
class { 'c1363': stage => 's1363' }
class { 'c1364': stage => 's1364' }
class { 'c1365': stage => 's1365' }
class { 'c1366': stage => 's1366' }
class { 'c1367': stage => 's1367' }
class { 'c1368': stage => 's1368' }
class { 'c1369': stage => 's1369' }
class { 'c1370': stage => 's1370' }
class { 'c1371': stage => 's1371' }
class { 'c1372': stage => 's1372' }
class { 'c1373': stage => 's1373' }
class { 'c1374': stage => 's1374' }
class { 'c1375': stage => 's1375' }
class { 'c1376': stage => 's1376' }
class { 'c1377': stage => 's1377' }
class { 'c1378': stage => 's1378' }
class { 'c1379': stage => 's1379' }
class { 'c1380': stage => 's1380' }
class { 'c1381': stage => 's1381' }
class { 'c1382': stage => 's1382' }
class { 'c1383': stage => 's1383' }
class { 'c1384': stage => 's1384' }
class { 'c1385': stage => 's1385' }
class { 'c1386': stage => 's1386' }
class { 'c1387': stage => 's1387' }
class { 'c1388': stage => 's1388' }
class { 'c1389': stage => 's1389' }
class { 'c1390': stage => 's1390' }
class { 'c1391': stage => 's1391' }
class { 'c1392': stage => 's1392' }
class { 'c1393': stage => 's1393' }
class { 'c1394': stage => 's1394' }
class { 'c1395': stage => 's1395' }
class { 'c1396': stage => 's1396' }
class { 'c1397': stage => 's1397' }
class { 'c1398': stage => 's1398' }
class { 'c1399': stage => 's1399' }
class { 'c1400': stage => 's1400' }
class { 'c1401': stage => 's1401' }
class { 'c1402': stage => 's1402' }
class { 'c1403': stage => 's1403' }
class { 'c1404': stage => 's1404' }
class { 'c1405': stage => 's1405' }
class { 'c1406': stage => 's1406' }
class { 'c1407': stage => 's1407' }
class { 'c1408': stage => 's1408' }
class { 'c1409': stage => 's1409' }
class { 'c1410': stage => 's1410' }
class { 'c1411': stage => 's1411' }
class { 'c1412': stage => 's1412' }
class { 'c1413': stage => 's1413' }
class { 'c1414': stage => 's1414' }
class { 'c1415': stage => 's1415' }
class { 'c1416': stage => 's1416' }
class { 'c1417': stage => 's1417' }
class { 'c1418': stage => 's1418' }
class { 'c1419': stage => 's1419' }
class { 'c1420': stage => 's1420' }
class { 'c1421': stage => 's1421' }
class { 'c1422': stage => 's1422' }
class { 'c1423': stage => 's1423' }
class { 'c1424': stage => 's1424' }
class { 'c1425': stage => 's1425' }
class { 'c1426': stage => 's1426' }
class { 'c1427': stage => 's1427' }
class { 'c1428': stage => 's1428' }
class { 'c1429': stage => 's1429' }
class { 'c1430': stage => 's1430' }
class { 'c1431': stage => 's1431' }
class { 'c1432': stage => 's1432' }
class { 'c1433': stage => 's1433' }
class { 'c1434': stage => 's1434' }
class { 'c1435': stage => 's1435' }
class { 'c1436': stage => 's1436' }
class { 'c1437': stage => 's1437' }
class { 'c1438': stage => 's1438' }
class { 'c1439': stage => 's1439' }
class { 'c1440': stage => 's1440' }
class { 'c1441': stage => 's1441' }
class { 'c1442': stage => 's1442' }
class { 'c1443': stage => 's1443' }
class { 'c1444': stage => 's1444' }
class { 'c1445': stage => 's1445' }
class { 'c1446': stage => 's1446' }
class { 'c1447': stage => 's1447' }
class { 'c1448': stage => 's1448' }
class { 'c1449': stage => 's1449' }
class { 'c1450': stage => 's1450' }
class { 'c1451': stage => 's1451' }
class { 'c1452': stage => 's1452' }
class { 'c1453': stage => 's1453' }
class { 'c1454': stage => 's1454' }
class { 'c1455': stage => 's1455' }
class { 'c1456': stage => 's1456' }
class { 'c1457': stage => 's1457' }
class { 'c1458': stage => 's1458' }
class { 'c1459': stage => 's1459' }
class { 'c1460': stage => 's1460' }
class { 'c1461': stage => 's1461' }
class { 'c1462': stage => 's1462' }
class { 'c1463': stage => 's1463' }
class { 'c1464': stage => 's1464' }
class { 'c1465': stage => 's1465' }
class { 'c1466': stage => 's1466' }
class { 'c1467': stage => 's1467' }
class { 'c1468': stage => 's1468' }
class { 'c1469': stage => 's1469' }
class { 'c1470': stage => 's1470' }
class { 'c1471': stage => 's1471' }
class { 'c1472': stage => 's1472' }
class { 'c1473': stage => 's1473' }
class { 'c1474': stage => 's1474' }
class { 'c1475': stage => 's1475' }
class { 'c1476': stage => 's1476' }
class { 'c1477': stage => 's1477' }
class { 'c1478': stage => 's1478' }
class { 'c1479': stage => 's1479' }
class { 'c1480': stage => 's1480' }
class { 'c1481': stage => 's1481' }
class { 'c1482': stage => 's1482' }
class { 'c1483': stage => 's1483' }
class { 'c1484': stage => 's1484' }
class { 'c1485': stage => 's1485' }
class { 'c1486': stage => 's1486' }
class { 'c1487': stage => 's1487' }
class { 'c1488': stage => 's1488' }
class { 'c1489': stage => 's1489' }
class { 'c1490': stage => 's1490' }
class { 'c1491': stage => 's1491' }
class { 'c1492': stage => 's1492' }
class { 'c1493': stage => 's1493' }
class { 'c1494': stage => 's1494' }
class { 'c1495': stage => 's1495' }
class { 'c1496': stage => 's1496' }
class { 'c1497': stage => 's1497' }
class { 'c1498': stage => 's1498' }
class { 'c1499': stage => 's1499' }
notify { 'x': require => Notify['y'] }
notify { 'y': require => Notify['x'] }
