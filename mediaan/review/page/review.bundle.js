"use strict";(()=>{var byId=id=>document.getElementById(id);function element(tag2,properties={},...children){let node=document.createElement(tag2);for(let[key,value]of Object.entries(
properties))key in node?node[key]=value:node.setAttribute(key,String(value));return node.append(...children.filter(child=>child!=
null)),node}function svgElement(tag2,attributes){let node=document.createElementNS("http://www.w3.org/2000/svg",tag2);for(let[
key,value]of Object.entries(attributes))node.setAttribute(key,String(value));return node}function openReview(data){return{...data,at:0,answers:new Map,trail:[],settled:new Set}}var shownQuestion=review=>review.
questions[review.at],isOpen=(review,{id})=>!review.answers.has(id)&&!review.settled.has(id),openQuestions=review=>review.
questions.filter(question=>isOpen(review,question));function nearestOpen(review,from,by){for(let i=from;i>=0&&i<review.questions.
length;i+=by)if(isOpen(review,review.questions[i]))return i;return by>0?review.questions.length:null}function step(review,by){
review.at=nearestOpen(review,review.at+by,by)??review.at}function goToFirstOpen(review){review.at=nearestOpen(review,0,1)}
var settles=({answer,numbers,boxes})=>answer!=="brand_for_folder"||numbers.length+boxes.length>0;function aboutSameMedium({
questions},id){let medium=questions.find(question=>question.id===id)?.medium_id;return questions.filter(({medium_id})=>medium_id===
medium).map(question=>question.id)}function takeAnswer(review,body){if(review.trail.push(body),!!settles(body)){if(review.
answers.set(body.question,body),body.answer==="confirm_all")for(let id of aboutSameMedium(review,body.question))review.settled.
add(id);step(review,1)}}function takeBack(review,body=review.trail.at(-1)){if(body===void 0)return null;if(review.trail=
review.trail.filter(other=>other!==body),review.answers.delete(body.question),body.answer==="confirm_all")for(let id of aboutSameMedium(
review,body.question))review.settled.delete(id);let at=review.questions.findIndex(question=>question.id===body.question);
return at>=0&&(review.at=at),body}function takeReply(review,{medium,questions,progress}){review.progress=progress,review.
questions=review.questions.map(question=>question.medium_id===medium.medium_id?{...question,verdict:medium.verdict,areas:medium.
areas}:question);let changed=new Set(questions);return openQuestions(review).some(({id})=>changed.has(id))}function takeQuestions(review,data,returning=[]){
let shown=shownQuestion(review)?.id,byId2=new Map(data.questions.map(question=>[question.id,question]));review.progress=
data.progress,review.settled=new Set(review.questions.map(({id})=>id).filter(id=>!byId2.has(id)&&!review.answers.has(id)));
let before=new Set(review.questions.map(({id})=>id));review.questions=[...review.questions.map(question=>byId2.get(question.
id)??question),...data.questions.filter(({id})=>!before.has(id))];let wanted=returning.find(id=>byId2.has(id)&&!review.answers.
has(id))??shown;review.at=wanted===void 0?review.questions.length:review.questions.findIndex(({id})=>id===wanted),review.
at<review.questions.length&&!isOpen(review,review.questions[review.at])&&step(review,1)}function progressWith({progress},waiting){
return{...progress,answered:progress.answered+waiting,left:Math.max(0,progress.left-waiting)}}function verdictCounts({questions}){
let byMedium=new Map(questions.map(({medium_id,verdict})=>[medium_id,verdict.status])),counts={works:0,attention:0,open:0,
unknown:0};for(let status of byMedium.values())counts[status]+=1;return counts}function proposedAnswer({type,proposals}){
return proposals.some(proposal=>proposal.area_id!==null&&proposal.type===type)?"confirm_all":proposals.length===1?"pick":
null}function proposalAt(proposals,[x,y]){return proposals.filter(({box:[left,top,width,height]})=>x>=left&&x<=left+width&&
y>=top&&y<=top+height).sort((a,b)=>a.box[2]*a.box[3]-b.box[2]*b.box[3])[0]??null}var SIGNS={works:"✓",attention:"✕",open:"~",unknown:"–"},WORDS={works:["works","work"],attention:["needs attention",
"need attention"],open:["is undecided","are undecided"],unknown:["has no verdict","have no verdict"]},counted=(n,words)=>`${n}\
 ${words[n===1?0:1]}`,verdictTag=({status,text})=>element("span",{className:`verdict-tag ${status}`},element("span",{"ar\
ia-hidden":"true"},`${SIGNS[status]} `),`${text.charAt(0).toUpperCase()}${text.slice(1)}`);function keyButton(words,key,action,properties={}){
let button=element("button",{type:"button",...properties},element("span",{},words),element("kbd",{"aria-hidden":"true"},
key));return button.addEventListener("click",action),button}function setWords(button,words){button.firstElementChild.textContent=
words}function buildPanel(does){let panel={bar:element("progress",{max:1,value:0,"aria-label":"Questions answered"}),counts:element(
"span",{}),changed:element("span",{role:"status"}),error:element("p",{className:"alert review-error",role:"alert",hidden:!0}),
place:element("span",{}),tag:element("span",{}),heading:element("h2",{tabIndex:-1}),why:element("p",{className:"review-w\
hy"}),list:element("ul",{className:"review-proposals","aria-label":"Proposals"}),says:element("p",{className:"review-say\
s",role:"status"}),brandLabel:element("span",{}),brandName:element("input",{type:"text",autocomplete:"off",required:!0}),
brandForm:element("form",{className:"review-brand",hidden:!0}),confirm:keyButton("Confirm","Enter",does.confirm,{className:"\
primary"}),none:keyButton("None","N",does.none),draw:keyButton("Draw","D",does.draw,{"aria-pressed":"false"}),brand:keyButton(
"Brand","B",does.brand,{"aria-expanded":"false",title:"Name the brand of all files of this folder"}),undo:keyButton("Und\
o","U",does.undo),back:keyButton("Back","←",does.back),skip:keyButton("Skip","→",does.skip),question:element("div",{
className:"review-columns"}),end:element("div",{className:"review-end",hidden:!0}),reached:element("p",{role:"status"}),
verdicts:element("ul",{})};return panel.brandForm.append(element("label",{},panel.brandLabel,panel.brandName),element("b\
utton",{type:"submit",className:"primary"},"Use it")),panel.brandForm.addEventListener("submit",event=>{event.preventDefault(),
does.name(panel.brandName.value.trim())}),panel}function layOut(host,panel,picture){let{bar,counts,changed,error,place,tag:tag2,
heading,why,list,brandForm,says,question,end}=panel,actions=element("div",{className:"review-actions",role:"group","aria\
-label":"Answer"},panel.confirm,panel.none,panel.draw,panel.brand,panel.undo,panel.back,panel.skip),head=element("div",{
className:"review-head"},element("p",{className:"sub"},tag2,place),heading,why);question.append(head,picture,element("di\
v",{className:"review-answers"},list,brandForm,says,actions)),host.replaceChildren(element("div",{className:"review-prog\
ress"},bar,counts,changed),error,question,end)}function proposalItem({number,label,confidence,area_id},pick,toggle){let facts=[
area_id===null?"not an area yet":null,confidence===null?null:`${Math.round(100*confidence)} % sure`].filter(Boolean).join(
", "),button=element("button",{type:"button"},element("b",{},`${number}`),element("span",{},label||"No text"," ",element(
"small",{},facts)));button.addEventListener("click",()=>pick(number));let several=element("input",{type:"checkbox","aria\
-label":`Choose ${number} as one of several`});return several.dataset.number=`${number}`,several.addEventListener("chang\
e",()=>toggle(number)),element("li",{},button,several)}function failureWords(problem,retry,drop){let[again,back]=["Try a\
gain","Take it back"].map(words=>element("button",{type:"button"},words));return again.addEventListener("click",retry),back.
addEventListener("click",drop),[element("strong",{},"Not saved: "),`${problem.message}. `,again,back]}function showReached({
reached,verdicts},review,{progress,written}){let words=`${counted(progress.answered,["question is answered","questions a\
re answered"])}; ${counted(progress.undecided,["verdict is","verdicts are"])} still undecided.`,media=Object.entries(verdictCounts(
review)).filter(([,n])=>n>0);reached.textContent=`${words}${written?"":" The last answers are being written …"}`,verdicts.
replaceChildren(...media.map(([status,n])=>element("li",{},element("span",{"aria-hidden":"true"},`${SIGNS[status]} `),counted(
n,WORDS[status]))))}function showEnd({end,reached,verdicts},review,{skipped,last,undo,goOn}){let heading=element("h2",{tabIndex:-1},
skipped?"That was the last question":"All questions are answered"),again=skipped?keyButton(`Answer the ${counted(skipped,
["question","questions"])} that you skipped`,"←",goOn,{className:"primary"}):null,report=review.report?element("p",{},
element("a",{href:review.report},"Open the report")):null;return end.replaceChildren(heading,reached,verdicts,...[again,
last,report].filter(Boolean),keyButton("Undo the last answer","U",undo)),heading}var TAG_ROOM=.035;function outline(box,polygon){let[x0,y0,x1,y1]=box,points=(polygon??[[x0,y0],[x1,y0],[x1,y1],[x0,y1]]).
map(point=>point.join(","));return["edge","line"].map(kind=>svgElement("polygon",{class:kind,points:points.join(" ")}))}
function tag(text,type,box,polygon){let[x,y]=polygon?[...polygon].sort((a,b)=>a[1]-b[1]||a[0]-b[0])[0]:box,label=element(
"span",{className:`area-tag type-${type}${y<TAG_ROOM?" inside":""}`},text);return Object.assign(label.style,{left:`${100*
Math.max(x,0)}%`,top:`${100*Math.max(y,0)}%`}),label}var limited=(value,low,high)=>Math.min(Math.max(value,low),Math.max(low,high)),shortNumber=value=>Math.round(value*1e5)/
1e5;function bounds(points){let[xs,ys]=[0,1].map(axis=>points.map(point=>point[axis]));return[Math.min(...xs),Math.min(...ys),
Math.max(...xs),Math.max(...ys)]}var STILL_TOUCH_PX=12,stillPx=pointerType=>pointerType==="touch"?STILL_TOUCH_PX:4;function isClick(box,size,pointerType){
let[width,height]=[(box[2]-box[0])*size.width,(box[3]-box[1])*size.height];return Math.max(width,height)<2*stillPx(pointerType)||
Math.min(width,height)<4}function wirePresses(canvas,{onPress,onHover,onDrag,onRelease,onCancel}){let press=null;function position(event){
let{left,top,width,height}=canvas.getBoundingClientRect();return[limited((event.clientX-left)/width,0,1),limited((event.
clientY-top)/height,0,1)]}function cancel(){press!==null&&(press=null,onCancel())}canvas.addEventListener("pointerdown",
event=>{if(!event.isPrimary||press!==null)return cancel();if(event.button===0)return event.preventDefault(),canvas.setPointerCapture(
event.pointerId),press={id:event.pointerId,px:[event.clientX,event.clientY],going:!1},onPress(position(event),event)}),canvas.
addEventListener("pointermove",event=>{if(press===null)return onHover?.(position(event),event);if(event.pointerId===press.
id)return press.going||=Math.hypot(event.clientX-press.px[0],event.clientY-press.px[1])>=stillPx(event.pointerType),press.
going?onDrag(position(event),event):void 0}),canvas.addEventListener("pointerup",event=>{event.pointerId===press?.id&&(press=
null,onRelease(position(event),event))}),canvas.addEventListener("pointercancel",cancel)}var STEP=.01,ARROWS={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]},SAME_CORNER=.04,TAG_PX=30,NAMED=[
"branding","product","call_to_action","headline_text"],boxOf=([x,y,width,height])=>[x,y,x+width,y+height],placeOf=([x0,y0,
x1,y1])=>[x0,y0,x1-x0,y1-y0].map(shortNumber);function shape(className,box){let group=svgElement("g",{class:className});
return group.append(...outline(box,null)),group}function reviewPicture({onPick,onDraw,say}){let image=element("img",{alt:"",
draggable:!1,decoding:"async"}),drawing=svgElement("svg",{viewBox:"0 0 1 1",preserveAspectRatio:"none","aria-hidden":"tr\
ue"}),tags=element("div",{"aria-hidden":"true"}),frame=element("div",{className:"review-picture",tabIndex:-1,role:"img"},
image,drawing,tags),question,picked=new Set,drawn=[],[draws,cross,corner]=[!1,[.5,.5],null],press=null;function render(){
let under=press?.box??(corner?bounds([corner,cross]):null),ids=new Set(question.proposals.map(({area_id})=>area_id)),others=question.
areas.filter(({area_id})=>!ids.has(area_id)),proposed=question.proposals.map(({number,box,type,area_id})=>shape(`proposa\
l${area_id!==null&&type===question.type?"":" unsure"}${picked.has(number)?" picked":""}`,boxOf(box)));drawing.replaceChildren(
...others.map(({box})=>shape("other",boxOf(box))),...proposed,...[...drawn,...under?[under]:[]].map(box=>shape("drawn",box)));
let marks=question.proposals.map(({number,box},i)=>{let label=tag(`${number}`,"proposal",boxOf(box),null),covered=question.
proposals.slice(0,i).filter(other=>Math.abs(other.box[0]-box[0])<SAME_CORNER&&Math.abs(other.box[1]-box[1])<SAME_CORNER).
length;return label.style.marginLeft=`${covered*TAG_PX}px`,label.dataset.number=`${number}`,label.classList.toggle("pick\
ed",picked.has(number)),label.classList.toggle("inside",box[1]*frame.clientHeight<TAG_PX),label}),at=element("i",{className:"\
review-cross",hidden:!draws});Object.assign(at.style,{left:`${100*cross[0]}%`,top:`${100*cross[1]}%`});let words=others.
filter(({type})=>NAMED.includes(type)).map(({box,type})=>tag(type.replaceAll("_"," "),"other",boxOf(box),null));tags.replaceChildren(
...words,...marks,at),frame.classList.toggle("drawing",draws)}function change(){render(),onDraw()}function addBox(box){drawn.
push(box),[draws,corner]=[!1,null],say("Drawn. Confirm takes it, Undo drops it; another drag adds a box."),change()}function setCorner(){
let box=corner&&bounds([corner,cross]);return box&&box[2]>box[0]&&box[3]>box[1]?addBox(box):(corner=cross,say("First cor\
ner. Space sets the opposite one."),render())}return image.addEventListener("error",()=>say("The picture cannot be shown\
.")),wirePresses(frame,{onPress(at,event){let{number}=event.target.dataset??{};press={from:at,number:number?Number(number):
null,draws:draws||event.pointerType!=="touch",box:null}},onDrag(at){press?.draws&&(press.box=bounds([press.from,at]),render())},
onRelease(at,event){let done=press;if(press=null,done===null)return;if(done.box&&!isClick(done.box,frame.getBoundingClientRect(),
event.pointerType))return addBox(done.box);if(render(),draws)return;let number=done.number??proposalAt(question.proposals,
at)?.number;return number===void 0?void 0:onPick(number,event.shiftKey)},onCancel(){press=null,render()}}),{frame,show(next){
question=next,[picked,drawn,draws,corner,press]=[new Set,[],!1,null,null],image.getAttribute("src")!==next.picture&&(image.
src=next.picture),frame.setAttribute("aria-label",`${next.path}: the picture, ${next.proposals.length===1?"with one prop\
osal":`with ${next.proposals.length} proposals`}`),frame.style.setProperty("--ratio",`${next.width/next.height}`),render()},
toggle(number){picked.delete(number)||picked.add(number),change()},picked:()=>[...picked].sort((a,b)=>a-b),drawn:()=>drawn.
map(placeOf),isDrawing:()=>draws,draw(){[draws,cross,corner]=[!draws,[.5,.5],null],say(draws?"Drag a box on the picture,\
 or set two opposite corners with the arrows and Space.":""),change()},cancel(){return!draws&&press?.box==null&&!drawn.length&&
!picked.size?!1:(press?.box?press=null:draws?[draws,corner]=[!1,null]:[drawn,picked]=[[],new Set],say(""),change(),!0)},
key(event){if(!draws)return!1;if(event.key===" "||event.key==="Enter"&&corner)setCorner();else if(event.key==="Enter")say(
"Set the first corner with Space, or drag a box; Esc leaves drawing.");else if(event.key in ARROWS){let by=event.repeat?
2*STEP:STEP;cross=cross.map((value,axis)=>limited(value+by*ARROWS[event.key][axis],0,1)),render()}else return!1;return!0}}}function answerQueue(backend2,{onReply,onFailure,onIdle}){let waiting=[],sending=!1,failed=!1;async function send(){if(!(sending||
failed)){for(sending=!0;waiting.length&&!failed;){let[request]=waiting;try{let reply=await(request===null?backend2.undo():
backend2.answer(request));waiting=waiting.slice(1),onReply(request,reply)}catch(error){failed=!0,onFailure(error)}}sending=
!1,waiting.length||onIdle()}}return{push(request){waiting.push(request),send()},retry(){failed=!1,send()},drop(){let request=waiting.
shift()??null;return failed=!1,send(),request},remove(request){let i=waiting.indexOf(request);return request===null||i<0||
i===0&&!failed?!1:(waiting.splice(i,1),i===0&&(failed=!1),send(),!0)},balance:()=>waiting.reduce((sum,request)=>sum+(request===
null?-1:1),0),isEmpty:()=>waiting.length===0,size:()=>waiting.length,hasFailed:()=>failed}}var PREFETCHED=4;async function showReview(host,backend2,last=()=>null){host.replaceChildren(element("p",{role:"status"},
"Loading the questions …"));try{reviewPage(host,backend2,openReview(await backend2.load()),last)}catch(problem){host.replaceChildren(
element("p",{className:"alert",role:"alert"},`The questions could not be loaded: ${problem.message}.`))}}function reviewPage(host,backend2,review,last){
let stale=!1,returning=[],pictures=new Map,queue=answerQueue(backend2,{onReply,onFailure,onIdle}),panel=buildPanel({confirm,
none:()=>answer("none"),draw,brand:askBrand,undo,back:()=>go(-1),skip:()=>go(1),name:nameBrand}),picture=reviewPicture({
say,onDraw:showChoice,onPick:(number,several)=>several?picture.toggle(number):pick(number)});function say(words){panel.says.
textContent=words}function show(){let question=shownQuestion(review);return panel.question.hidden=question===void 0,panel.
end.hidden=question!==void 0,showProgress(),say(""),showBrandForm(!1),question===void 0?showLast().focus({preventScroll:!0}):
(picture.show(question),panel.list.replaceChildren(...question.proposals.map(proposal=>proposalItem(proposal,pick,picture.
toggle))),panel.list.hidden=question.proposals.length===0,panel.back.disabled=openQuestions(review)[0]===question,showWords(),
showChoice(),prefetch(),panel.heading.focus({preventScroll:!0}))}function showProgress(){let{answered,left,undecided}=progressWith(
review,queue.balance());Object.assign(panel.bar,{max:Math.max(1,answered+left),value:answered}),panel.counts.textContent=
`${answered} answered · ${left} left · ${undecided} undecided${queue.size()>1?` · saving ${queue.size()} …`:""}`}function showWords(){
let{path,text,why,verdict}=shownQuestion(review);panel.place.textContent=path,panel.heading.textContent=text,panel.why.textContent=
why,panel.tag.replaceChildren(verdictTag(verdict)," ")}function showChoice(){let[picked,drawn]=[picture.picked(),picture.
drawn()],words=[...picked,drawn.length?counted(drawn.length,["drawn box","drawn boxes"]):null].filter(Boolean).join(" + "),
proposed=picture.isDrawing()?null:proposedAnswer(shownQuestion(review));setWords(panel.confirm,words?`Confirm ${words}`:
proposed==="confirm_all"?"All areas are right":proposed==="pick"?"Confirm 1":"Confirm"),panel.confirm.title=!words&&proposed===
"confirm_all"?"All outlined areas are right, and none is missing":"",panel.confirm.setAttribute("aria-disabled",`${!words&&
proposed===null}`),panel.draw.setAttribute("aria-pressed",`${picture.isDrawing()}`);for(let box of panel.list.querySelectorAll(
"input"))box.checked=picked.includes(Number(box.dataset.number))}function showProgressAtEnd(){showReached(panel,review,{
progress:progressWith(review,queue.balance()),written:queue.isEmpty()})}function showLast(){let goOn=()=>{goToFirstOpen(
review),show()};return showProgressAtEnd(),showEnd(panel,review,{skipped:openQuestions(review).length,last:last(),undo,goOn})}
function prefetch(){let wanted=openQuestions(review).filter(question=>review.questions.indexOf(question)>review.at).slice(
0,PREFETCHED).map(question=>question.picture);for(let address of wanted)pictures.has(address)||pictures.set(address,Object.
assign(new Image,{src:address}));for(let address of pictures.keys())wanted.includes(address)||pictures.delete(address)}function answer(kind,{
numbers=[],boxes=[],brand}={}){let{id,type,brand:proposed,proposals}=shownQuestion(review),body={question:id,answer:kind,
numbers,boxes,shown:proposals.map(({box})=>box),type,brand:brand??proposed};takeAnswer(review,body),queue.push(body),show()}
function pick(number){picture.picked().length||picture.drawn().length?picture.toggle(number):answer("pick",{numbers:[number]})}
function confirm(){let[numbers,boxes]=[picture.picked(),picture.drawn()];if(boxes.length)return answer("draw",{numbers,boxes});
if(numbers.length)return answer("pick",{numbers});if(picture.isDrawing())return say("Draw a box first, or leave drawing.");
let proposed=proposedAnswer(shownQuestion(review));return proposed==="pick"?pick(1):proposed==="confirm_all"?answer("con\
firm_all"):say(`${shownQuestion(review).proposals.length?"Which one? Press its number, draw it":"Nothing is proposed: dr\
aw it"} (D), or answer that there is none (N).`)}function draw(){picture.draw(),(picture.isDrawing()?picture.frame:panel.
heading).focus({preventScroll:!0})}function showBrandForm(on){panel.brandForm.hidden=!on,panel.brand.setAttribute("aria-\
expanded",`${on}`)}function askBrand(){if(panel.brand.hidden)return;if(showBrandForm(panel.brandForm.hidden===!0),panel.
brandForm.hidden)return panel.heading.focus({preventScroll:!0});let{brand,folder}=shownQuestion(review);return panel.brandName.
value=brand??"",panel.brandLabel.textContent=`Brand of all files in ${folder==="./"?"this folder":folder}`,panel.brandName.
focus(),panel.brandName.select()}function nameBrand(brand){brand&&answer("brand_for_folder",{numbers:picture.picked(),boxes:picture.
drawn(),brand})}function go(by){return!panel.question.hidden&&picture.drawn().length?say("Confirm or undo what is drawn \
first."):(step(review,by),show())}function undo(){if(!panel.question.hidden&&picture.cancel())return;let here=review.trail.
length>0;if(!here&&progressWith(review,queue.balance()).answered===0)return say("Nothing to undo.");let body=takeBack(review);
return queue.remove(body)||queue.push(null),queue.hasFailed()||(panel.error.hidden=!0),show(),say(here?"Taken back.":"Ta\
king back the answer before …")}function onReply(request,reply){panel.error.hidden=!0;let before=review.questions.find(
({medium_id})=>medium_id===reply.medium.medium_id);stale=takeReply(review,reply)||request===null||stale,request===null&&
(returning=reply.questions),before&&showChange(before,reply.medium.verdict),shownQuestion(review)?.medium_id===reply.medium.
medium_id&&showWords(),showProgress()}function showChange({path,verdict:before},verdict){let changes=before.status!==verdict.
status;panel.changed.replaceChildren(`${path.split("/").at(-1)}: `,...changes?[verdictTag(before)," → "]:[],verdictTag(
verdict))}function onFailure(problem){let retry=()=>{panel.error.hidden=!0,queue.retry()},drop=()=>{panel.error.hidden=!0,
stale=!0;let body=queue.drop();body&&takeBack(review,body),show()};panel.error.replaceChildren(...failureWords(problem,retry,
drop)),panel.error.hidden=!1}async function onIdle(){if(stale){stale=!1;let data=await backend2.load().catch(()=>null);data&&
queue.isEmpty()?refresh(data):stale=!0}shownQuestion(review)===void 0&&showProgressAtEnd()}function refresh(data){let before=shownQuestion(
review);takeQuestions(review,data,returning),returning=[];let now=shownQuestion(review);return now?.id!==before?.id||JSON.
stringify(now?.proposals)!==JSON.stringify(before?.proposals)?show():(now&&showWords(),showProgress())}let KEYS={n:()=>answer(
"none"),d:draw,b:askBrand,u:undo,Enter:confirm,ArrowLeft:()=>go(-1),ArrowRight:()=>go(1)},END_KEYS={u:undo,ArrowLeft:()=>go(
-1)};function takeKey(event){let asks=shownQuestion(review)!==void 0;if(event.key==="Escape")return asks&&escape();if(event.
target.matches("input[type=text]"))return!1;let key=event.key.length===1?event.key.toLowerCase():event.key;if(event.ctrlKey||
event.metaKey)return key==="z"&&!event.shiftKey&&run(undo);if(asks&&picture.key(event))return!0;let digit=/^(?:Digit|Numpad)([1-9])$/.
exec(event.code)?.[1];if(digit!==void 0&&asks)return event.repeat||run(()=>onDigit(Number(digit),event.shiftKey));if(key===
"Enter"&&event.target.closest("button, a")||event.repeat)return!1;let act=(asks?KEYS:END_KEYS)[key];return act!==void 0&&
run(act)}function run(act){return act(),!0}function escape(){return panel.brandForm.hidden?picture.cancel()&&run(()=>panel.
heading.focus({preventScroll:!0})):run(askBrand)}function onDigit(number,several){return shownQuestion(review).proposals.
some(proposal=>proposal.number===number)?several?picture.toggle(number):pick(number):say(`There is no proposal ${number}\
.`)}function onKey(event){if(!host.isConnected||panel.end.parentNode!==host)return removeEventListener("keydown",onKey);
!event.defaultPrevented&&!event.isComposing&&!event.altKey&&takeKey(event)&&event.preventDefault()}panel.brand.hidden=backend2.
namesBrands===!1,layOut(host,panel,picture.frame),addEventListener("keydown",onKey),addEventListener("beforeunload",event=>{
queue.isEmpty()||event.preventDefault()}),show()}function serverBackend(token){async function ask(method,address,body){let headers={Authorization:`Bearer ${token}`,...body===
void 0?{}:{"Content-Type":"application/json"}},response=await fetch(address,{method,headers,body:body===void 0?void 0:JSON.
stringify(body)}).catch(()=>null);if(response===null)throw new Error("mediaan cannot be reached; is it still running?");
let content=await response.json().catch(()=>({}));if(!response.ok)throw new Error(content.error?.message??content.detail??
`mediaan answered ${response.status}`);return content}let given=[];return{load:()=>ask("GET","api/review"),async answer(body){
let reply=await ask("POST","api/review/answers",body);return given.push(reply.answer),reply},async undo(){let reply=await ask(
"POST","api/review/undo",{answer:given.at(-1)});return given.pop(),reply}}}var server=serverBackend(new URLSearchParams(location.search).get("token")??""),backend={...server,async load(){let data=await server.
load();return document.title=byId("title").textContent=data.title,backend.namesBrands=data.namesBrands,data.home&&byId("\
kicker").replaceChildren(element("a",{href:data.home},"All files")),data}};showReview(byId("review"),backend);})();
