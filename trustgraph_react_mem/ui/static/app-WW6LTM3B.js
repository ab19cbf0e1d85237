var S,ln,Mt,ue,Et,Qe,cn,Je,dn,At,Tt,Vr,Oe=Symbol.for("pv"),Xe={},Ye=[],Kr=/^m(i|n|o|s|text|space)$/,Ct=Array.isArray,Dt=Ye.slice,$e=Object.assign;function ge(e){e&&e.parentNode&&e.remove()}function et(e,t,n){var r,s,o,i={},c=arguments.length;for(o in t)o=="key"?r=t[o]:o=="ref"&&typeof e!="function"?s=t[o]:i[o]=t[o];return c>2&&(i.children=c>3?Dt.call(arguments,2):n),je(e,i,r,s,null)}function je(e,t,n,r,s){var o={type:e,props:t,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Oe,__v:s||++ln,__i:-1,__u:0};return!s&&S.vnode&&S.vnode(o),o}function _e(e){return e.children}function Se(e,t){this.props=e,this.context=t,this.__g=0}function me(e,t){if(t==null)return e.__&&me(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:me(e)}function Jr(e){var t,n=e.__v,r=n.__e,s=[],o=[],i=e.__P;i&&((t=$e({constructor:Oe},n)).__v=n.__v+1,S.vnode&&S.vnode(t),Nt(i,t,n,e.__n,i.namespaceURI,32&n.__u?[r]:null,s,r||me(n),32&n.__u,o),t.__v=n.__v,t.__.__k[t.__i]=t,gn(s,t,o),n.__=n.__e=null,t.__e!=r&&un(t))}function un(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),un(e)}function sn(e){(8&e.__g||(e.__g|=8,ue.push(e),Qe++))&&Et==S.debounceRendering||((Et=S.debounceRendering)||queueMicrotask)(mn)}function mn(){try{for(var e,t=1;ue.length;)ue.length>t&&ue.sort(cn),e=ue.shift(),t=ue.length,8&e.__g&&Jr(e)}finally{(Qe=ue.length)&&(Et||queueMicrotask)(mn)}}function pn(e,t,n,r,s,o,i,c,d,m,u){var f,h,p,g,y,_,v=r.__k||Ye,w=t.length;for(d=Zr(n,t,v,d,w),f=0;f<w;f++)(p=n.__k[f])!=null&&(h=~p.__i&&v[p.__i]||Xe,p.__i=f,_=Nt(e,p,h,s,o,i,c,d,m,u),g=p.__e,(h.ref!=p.ref||8&h.__u)&&(h.ref&&jt(h.ref,null,p,h),p.ref&&u.push(p.ref,p.__c||g,p)),y=y||g,4&p.__u?(d=hn(p,d,e,!h.__v),h.__e&&(h.__e=null)):typeof p.type=="function"&&_!==void 0?d=_:g&&(d=g.nextSibling),p.__u&=-21);return n.__e=y,d}function Zr(e,t,n,r,s){var o,i,c,d,m,u,f,h,p,g=n.length,y=g,_=0,v=0,w=e.__k=Array(s);for(o=0;o<s;o++)(i=t[o])!=null&&typeof i!="boolean"&&typeof i!="function"?(typeof i!="object"||i.constructor===String?i=w[o]=je(null,i):Ct(i)?i=w[o]=je(_e,{children:i}):i.constructor===Oe&&i.__b?i=w[o]=je(i.type,i.props,i.key,i.ref,i.__v):w[o]=i,d=o+_,i.__=e,i.__b=e.__b+1,c=null,~(m=i.__i=Qr(i,n,d,y))&&(y--,(c=n[m])&&(c.__u|=2)),c&&c.__v?(i.__u|=16,m==d-1?_--:m==d+1?_++:m!=d&&(m>d?_--:_++,v=1)):(~m||(s>g?_--:s<g&&_++),typeof i.type!="function"&&(i.__u|=4))):w[o]=null;if(v){for(u=[],f=[],o=0;o<s;o++)if((i=w[o])&&16&i.__u){for(_=0,h=u.length;_<h;)u[p=_+h>>1]<i.__i?_=p+1:h=p;u[_]=i.__i,f[o]=_+1}for(_=u.length;o--;)f[o]&&(f[o]==_?_--:w[o].__u|=4)}if(y)for(o=0;o<g;o++)!(c=n[o])||2&c.__u||(c.__e==r&&(r=me(c)),Ot(c,c));return r}function hn(e,t,n,r){var s,o,i,c;if(typeof e.type=="function"){if(e.props.__P)return t;if(s=e.__k)for(o=0;o<s.length;o++)s[o]&&(s[o].__=e,t=hn(s[o],t,n,!1));return t}for(t&&!t.parentNode&&(t=me(e))&&!t.parentNode&&(t=null),i=e.__e,c=t;c&&c.nodeType==8;)c=c.nextSibling;for(i!=c&&(!r&&n.moveBefore&&i.parentNode?n.moveBefore(i,t):n.insertBefore(i,t||null)),t=i;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function Qr(e,t,n,r){var s,o=e.key,i=e.type,c=t[n],d=c&&!(2&c.__u);if(c===null&&o==null||d&&o==c.key&&i==c.type)return n;if(r>(d?1:0)){for(s=n-1;s>=0;s--)if((c=t[s])&&!(2&c.__u)&&o==c.key&&i==c.type)return s;for(s=n+1;s<t.length;s++)if((c=t[s])&&!(2&c.__u)&&o==c.key&&i==c.type)return s}return-1}function an(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function Ke(e,t,n,r,s){var o,i;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof r=="string"&&(e.style.cssText=r=""),r)for(t in r)n&&t in n||an(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||an(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[t]=n,n&&r||(i=Tt[t]||(Tt[t]=Xr(t)),(e.__a||(e.__a={}))[t]=At,o=t!=(t=t.replace(dn,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,i,o):e.removeEventListener(t,i,o));else{if(s=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function Xr(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[Je]==null)t[Je]=At++;else if(t[Je]<this.__a[e])return;return n(S.event?S.event(t):t)}}}function Nt(e,t,n,r,s,o,i,c,d,m){var u,f,h,p,g,y,_,v,w,I,O,St,rn,Ve,he,on,de,fe,oe=t.type;if(t.constructor!==Oe)return null;128&n.__u&&(d=32&n.__u,u=n.__c.__z)&&(t.__u|=d,f=o=[],u.nodeType==8?c=Ze(u,o):o.push(u),c=o[0]||c),(u=S.__b)&&u(t);e:if(typeof oe=="function"){h=i.length;try{if(v=t.props,w=(u=oe.prototype)&&u.render,I=(u=oe.contextType)&&r[u.__c],O=u?I?I.props.value:u.__:r,(p=n.__c)?(t.__c=p,2&p.__g&&(p.__g|=1)):(w?t.__c=p=new oe(v,O):(t.__c=p=new Se(v,O),p.constructor=oe,p.render=eo),I&&I.sub(p),p.state||(p.state={}),p.__n=r,p.__g|=8,p.__h=[],p.__k=[]),w&&(p.__s||(p.__s=p.state),oe.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=$e({},p.__s)),$e(p.__s,oe.getDerivedStateFromProps(v,p.__s)))),g=p.props,y=p.state,p.__v=t,n.__c){if(v!==g&&w&&!oe.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(v,O),t.__v==n.__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(v,p.__s,O)===!1){t.__v!=n.__v&&(p.props=v,p.state=p.__s,p.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(K){K&&(K.__=t)}),Ye.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&i.push(p),c=me(n);break e}p.componentWillUpdate&&p.componentWillUpdate(v,p.__s,O),w&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(g,y,_)})}else w&&!oe.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),w&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=O,p.props=v,p.__P=e,p.__g&=-5,St=S.__r,rn=w?25:0;do p.__g&=-9,St&&St(t),u=p.render(p.props,p.state=p.__s,p.context);while(8&p.__g&&++rn<25);w&&(Ye.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(r=$e({},r,p.getChildContext())),w&&n.__c&&p.getSnapshotBeforeUpdate&&(_=p.getSnapshotBeforeUpdate(g,y)),Ve=u&&u.type===_e&&u.key==null?u.props.children:u,v.__P&&(u=c,s=(e=v.__P).namespaceURI,d=o=null,n.props&&n.props.__P!=e&&(n.__k.some(function(K){K&&Ot(K,K)}),n.__k=null),c=n.__k?me(n,0):null),c=pn(e,Ct(Ve)?Ve:[Ve],t,n,r,s,o,i,c,d,m),v.__P&&(t.__e=null,c=u),t.__u&=-161,f&&f.some(ge),p.__h.length&&i.push(p),1&p.__g&&(p.__g&=-4)}catch(K){if(i.length=h,t.__v=null,d||o)if(K&&K.then){if(t.__u|=128|d,o){for(~(de=o.indexOf(c||void 0))||(de=o.length);(fe=o[de-1])&&fe.nodeType==8;)de--;for(;de<o.length;de++)if(fe=o[de])if(o[de]=null,he){if(fe==on)break}else{if(fe.nodeType!=8)break;fe.data.startsWith("$s")&&(on=Ze(he=fe))}}if(!he){for(;c&&c.nodeType==8&&c.nextSibling;)c=c.nextSibling;he=c}(u=Ze(he=t.__c.__z||(t.__c.__z=he)))?(t.__e=he,c=u):t.__e=c,c=c&&c.nextSibling}else o&&o.some(ge);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),K&&K.then||fn(t),S.__e(K,t,n)}}else c=t.__e=Yr(n.__e,t,n,r,s,o,i,d,m,e);return(u=S.diffed)&&u(t),c}function Ze(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function fn(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(fn))}function gn(e,t,n){for(var r=0;r<n.length;)jt(n[r++],n[r++],n[r++]);S.__c&&S.__c(t,e),e.some(function(s){try{e=s.__h,s.__h=[],e.some(function(o){o.call(s)})}catch(o){S.__e(o,s.__v)}})}function Yr(e,t,n,r,s,o,i,c,d,m){var u,f,h,p,g,y,_,v,w=n.props||Xe,I=t.props,O=t.type;if(O=="svg"?s="http://www.w3.org/2000/svg":O=="math"?s="http://www.w3.org/1998/Math/MathML":s||(s="http://www.w3.org/1999/xhtml"),o){for(u=0;u<o.length;u++)if((g=o[u])&&(O?g.localName==O:g.nodeType==3)){e=g,o[u]=null;break}}if(!e){if(v=m.ownerDocument||document,!O)return v.createTextNode(I);e=v.createElementNS(s,O,I.is?I:m),c&&(S.__m&&S.__m(t,o),c=!1),o=null}if(O){if(m=O=="template"&&e.content||e,o=O=="textarea"&&I.defaultValue!=null?null:o&&Dt.call(m.childNodes),!c&&o)for(w={},u=0;u<e.attributes.length;u++)w[(g=e.attributes[u]).name]=g.value;for(u in w)g=w[u],u=="dangerouslySetInnerHTML"?h=g:u=="children"||u in I||u=="value"&&"defaultValue"in I||u=="checked"&&"defaultChecked"in I||Ke(e,u,null,g,s);for(u in I)g=I[u],u=="children"?p=g:u=="dangerouslySetInnerHTML"?f=g:u=="value"?y=g:u=="checked"?_=g:c&&typeof g!="function"||w[u]===g||Ke(e,u,g,w[u],s);f?(c||h&&(f.__html==h.__html||f.__html==e.innerHTML)||(e.innerHTML=f.__html),t.__k=[]):(h&&(e.textContent=""),(O=="foreignObject"||s=="http://www.w3.org/1998/Math/MathML"&&Kr.test(O))&&(s="http://www.w3.org/1999/xhtml"),pn(m,Ct(p)?p:[p],t,n,r,s,o,i,o?o[0]:n.__k&&me(n,0),c,d),o&&o.some(ge)),c&&O!="textarea"||(u="value",O=="progress"&&y==null?e.removeAttribute(u):y==null||y===e[u]&&(O!="progress"||y)||Ke(e,u,y,w[u],s),u="checked",_!=null&&_!=e[u]&&Ke(e,u,_,w[u],s))}else w===I||c&&e.data==I||(e.data=I);return e}function jt(e,t,n,r){try{typeof e=="function"?t?t.__x=e(t)||1:r&&(r=r.__c||r.__e)&&(t=r.__x)&&(r.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(s){S.__e(s,n)}}function Ot(e,t,n){var r,s,o,i;if(S.unmount&&S.unmount(e),!(r=e.ref)||r.current&&r.current!=e.__e||jt(r,null,t,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(c){S.__e(c,t)}r.__P=r.__n=null}if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&Ot(r[i],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(r=e.__c)&&(r=r.__z)&&(s=Ze(r,o=[]))&&(r==e.__e&&o.some(ge),ge(s),ge(r)),n||ge(e.__e),e.__e=e.__c=e.__=null}function eo(e,t,n){return this.constructor(e,n)}function $n(e,t){var n,r,s,o;S.__&&S.__(e,t),t.nodeType==9&&(t=t.documentElement),r=(n=e&&32&e.__u)?null:t.__k,t.__k=je(_e,{children:[e]}),s=[],o=[],Nt(t,t.__k,r||Xe,Xe,t.namespaceURI,r?null:t.firstChild?Dt.call(t.childNodes):null,s,r?r.__e:t.firstChild,n,o),gn(s,t.__k,o),t.__k.props.children=null}S={__e:function(e,t,n,r){for(var s,o,i;t=t.__;)if((s=t.__c)&&!(1&s.__g)){s.__g|=4;try{if((i=(o=s.constructor)&&o.getDerivedStateFromError)&&s.setState(o.getDerivedStateFromError(e)),s.componentDidCatch&&(s.componentDidCatch(e,r||{}),i=1),i&&8&s.__g)return void(s.__g|=2)}catch(c){e=c}}throw Qe=0,e}},ln=0,Mt=function(e){return e!=null&&e.constructor===Oe},Se.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=$e({},this.state)),typeof e=="function"&&(e=e($e({},n),this.props)),e&&($e(n,e),this.__v&&(t&&this.__k.push(t),sn(this)))},Se.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),sn(this))},Se.prototype.render=_e,ue=[],Qe=0,cn=function(e,t){return e.__v.__b-t.__v.__b},Je=Symbol(),dn=/(PointerCapture)$|Capture$/i,At=0,Tt={},Vr=0;var Ee,L,Rt,_n,Lt=Object.is,Le=0,Tn=[],qt=[],R=S,vn=R.__b,bn=R.__r,yn=R.diffed,wn=R.__c,kn=R.unmount,xn=R.__;function tt(e,t){R.__h&&R.__h(L,e,Le||t),Le=0;var n=L.__H||(L.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function $(e){return Le=1,to(Cn,e)}function to(e,t,n){var r=tt(Ee++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):Cn(void 0,t),function(o){var i=(r.__N||r.__)[0],c=r.t(i,o);Lt(i,c)||(r.__N=[c,r.__[1]],r.__c.setState({}))}],r.__c=L,!L.__f)){L.__f=!0;var s=L.shouldComponentUpdate;L.shouldComponentUpdate=function(o,i,c){var d=this.__H;if(!d)return!0;var m=!1,u=this.props!=o;if(d.__.some(function(h){h.__N&&(m=!0,Lt(h.__[0],h.__N[0])||(u=!0))}),s){var f=s.call(this,o,i,c);return m?f||u:f}return!m||u}}return r.__}function P(e,t){var n=tt(Ee++,3);!R.__s&&It(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,L.__H.__h.push(n))}function Mn(e,t){var n=tt(Ee++,4);!R.__s&&It(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,L.__h.push(n))}function z(e){return Le=5,ve(function(){return{current:e}},[])}function ve(e,t){var n=tt(Ee++,7);return It(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function An(e,t){return Le=8,ve(function(){return e},t)}function no(){var e;do{for(;e=qt.shift();)try{Re(e)}catch(n){R.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=Tn.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Re),t.__h.some(Wt),t.__h=[]}catch(n){t.__h=[],R.__e(n,e.__v)}}}while(qt.length)}R.__b=function(e){L=null,vn&&vn(e)},R.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),xn&&xn(e,t)},R.__r=function(e){bn&&bn(e),Ee=0;var t=(L=e.__c).__H;t&&(Rt==L?L.__h=[]:(t.__h.some(Re),t.__h.some(Wt),Ee=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Rt=L},R.diffed=function(e){yn&&yn(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&En(Tn.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Rt=L=null},R.__c=function(e,t){t.some(function(n){try{n.__h.some(Re),n.__h=n.__h.filter(function(r){return!r.__||Wt(r)})}catch(r){n.__h=[function(){throw r}]}}),wn&&wn(e,t)},R.unmount=function(e){kn&&kn(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(s){try{if(s.__P&&s.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}s.__P=n,En(qt.push(s))}else Re(s)}catch(o){t=o}}),r.__H=void 0,t&&R.__e(t,r.__v))};var Sn=typeof requestAnimationFrame=="function";function ro(e){var t,n=function(){clearTimeout(r),Sn&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);Sn&&(t=requestAnimationFrame(n))}function En(e){e!=1&&_n==R.requestAnimationFrame||((_n=R.requestAnimationFrame)||ro)(no)}function Re(e){var t=L,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),L=t}function Wt(e){var t=L;e.__c=e.__(),L=t}function It(e,t){return!e||e.length!=t.length||t.some(function(n,r){return!Lt(n,e[r])})}function Cn(e,t){return typeof t=="function"?t(e):t}var oo=Symbol.for("preact-signals");function st(){if(se>1)se--;else{var e,t=!1;for((function(){var s=rt;for(rt=void 0;s!==void 0;){var o=s.S;if(o.v===s.v)for(var i=o.t;i!==void 0;i=i.x)i.i===s.i&&(i.i=o.i);s=s.o}})();We!==void 0;){var n=We;for(We=void 0,nt++;n!==void 0;){var r=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&Nn(n))try{n.c()}catch(s){t||(e=s,t=!0)}n=r}}if(nt=0,se--,t)throw e}}function zt(e){if(se>0)return e();Pt=++so,se++;try{return e()}finally{st()}}var qe,D=void 0;function Ie(e){var t=D,n=qe;D=void 0,qe=void 0;try{return e()}finally{D=t,qe=n}}var We=void 0,se=0,nt=0,so=0,Pt=0,rt=void 0,ot=0;function Dn(e){if(D!==void 0){var t=e.n;if(t===void 0||t.t!==D)return t={i:0,S:e,p:D.s,n:void 0,t:D,e:void 0,x:void 0,r:t},D.s!==void 0&&(D.s.n=t),D.s=t,e.n=t,32&D.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=D.s,t.n=void 0,D.s.n=t,D.s=t),t}}function W(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=t?.watched,this.Z=t?.unwatched,this.name=t?.name}W.prototype.brand=oo;W.prototype.h=function(){return!0};W.prototype.S=function(e){var t=this,n=this.t;n!==e&&e.e===void 0&&(e.x=n,this.t=e,n!==void 0?n.e=e:Ie(function(){var r;(r=t.W)==null||r.call(t)}))};W.prototype.U=function(e){var t=this;if(this.t!==void 0){var n=e.e,r=e.x;n!==void 0&&(n.x=r,e.e=void 0),r!==void 0&&(r.e=n,e.x=void 0),e===this.t&&(this.t=r,r===void 0&&Ie(function(){var s;(s=t.Z)==null||s.call(t)}))}};W.prototype.subscribe=function(e){var t=this;return F(function(){var n=t.value;Ie(function(){return e(n)})},{name:"sub"})};W.prototype.valueOf=function(){return this.value};W.prototype.toString=function(){return this.value+""};W.prototype.toJSON=function(){return this.value};W.prototype.peek=function(){var e=this;return Ie(function(){return e.value})};Object.defineProperty(W.prototype,"value",{get:function(){var e=Dn(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){if(nt>100)throw new Error("Cycle detected");(function(n){se!==0&&nt===0&&n.l!==Pt&&(n.l=Pt,rt={S:n,v:n.v,i:n.i,o:rt})})(this),this.v=e,this.i++,ot++,se++;try{for(var t=this.t;t!==void 0;t=t.x)t.t.N()}finally{st()}}}});function E(e,t){return new W(e,t)}function Nn(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==t.i)return!0;return!1}function jn(e){for(var t=e.s;t!==void 0;t=t.n){var n=t.S.n;if(n!==void 0&&(t.r=n),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function On(e){for(var t=e.s,n=void 0;t!==void 0;){var r=t.p;t.i===-1?(t.S.U(t),r!==void 0&&(r.n=t.n),t.n!==void 0&&(t.n.p=r)):n=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=r}e.s=n}function be(e,t){W.call(this,void 0,t),this.x=e,this.s=void 0,this.g=ot-1,this.f=4}be.prototype=new W;be.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===ot))return!0;if(this.g=ot,this.f|=1,this.i>0&&!Nn(this))return this.f&=-2,!0;var e=D;try{jn(this),D=this;var t=this.x();(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return D=e,On(this),this.f&=-2,!0};be.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}W.prototype.S.call(this,e)};be.prototype.U=function(e){if(this.t!==void 0&&(W.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};be.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(be.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Dn(this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function Te(e,t){return new be(e,t)}function Rn(e){var t=e.j;if(e.j=void 0,typeof t=="function"){se++;var n=D;D=void 0;try{t()}catch(r){throw e.f&=-2,e.f|=8,Gt(e),r}finally{D=n,st()}}}function Gt(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,Rn(e)}function io(e){if(D!==this)throw new Error("Out-of-order effect");On(this),D=e,this.f&=-2;try{8&this.f&&Gt(this)}finally{st()}}function Me(e,t){this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=t?.name,qe&&qe.push(this)}Me.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t=="function"&&(this.j=t)}finally{e()}};Me.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,Rn(this),jn(this),se++;var e=D;return D=this,io.bind(this,e)};Me.prototype.N=function(){2&this.f||(this.f|=2,this.u=We,We=this)};Me.prototype.d=function(){this.f|=8,1&this.f||Gt(this)};Me.prototype.dispose=function(){this.d()};function F(e,t){var n=new Me(e,t);try{n.c()}catch(s){throw n.d(),s}var r=n.d.bind(n);return r[Symbol.dispose]=r,r}var Ln,at,it,ao=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var qn=[];F(function(){Ln=this.N})();function Ae(e,t){S[e]=t.bind(null,S[e]||function(){})}function Pe(e){if(it){var t=it;it=void 0,t()}it=e&&e.S()}function Wn(e){var t=this,n=e.data,r=co(n);r.name="ReactiveDom",r.value=n;var s=ve(function(){for(var c=t,d=t.__v;d=d.__;)if(d.__c){d.__c.__$f|=4;break}var m=Te(function(){var p=r.value.value;return p===0?0:p===!0?"":p||""}),u=Te(function(){return!Array.isArray(m.value)&&!Mt(m.value)}),f=F(function(){if(this.N=In,u.value){var p=m.value;c.__v&&c.__v.__e&&c.__v.__e.nodeType===3&&(c.__v.__e.data=p)}}),h=t.__$u.d;return t.__$u.d=function(){f(),h.call(this)},[u,m]},[]),o=s[0],i=s[1];return o.value?i.peek():i.value}Wn.displayName="ReactiveTextNode";Object.defineProperties(W.prototype,{constructor:{configurable:!0,value:et(_e,null).constructor},type:{configurable:!0,value:Wn},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});Ae("__b",function(e,t){if(Pe(),at=void 0,typeof t.type=="string"){var n,r=t.props;for(var s in r)if(s!=="children"){var o=r[s];o instanceof W&&(n||(t.__np=n={}),n[s]=o,r[s]=o.peek())}}e(t)});Ae("__r",function(e,t){if(e(t),t.type!==_e){Pe();var n,r=t.__c;r&&(r.__$f&=-2,(n=r.__$u)===void 0&&(r.__$u=n=(function(s,o){var i;return F(function(){i=this},{name:o}),i.c=s,i})((function(s){return function(){var o;ao&&((o=this.y)==null||o.call(this)),s.__$f|=1,s.setState({})}})(r),typeof t.type=="function"?t.type.displayName||t.type.name:""))),at=r,Pe(n)}});Ae("__e",function(e,t,n,r){Pe(),at=void 0,e(t,n,r)});Ae("diffed",function(e,t){Pe(),at=void 0;var n;if(typeof t.type=="string"&&(n=t.__e)){var r=t.__np,s=t.props,o=n.U;if(o)for(var i in o){var c=o[i];c===void 0||r&&i in r||(c.d(),o[i]=void 0)}if(r){o||(o={},n.U=o);for(var d in r){var m=o[d],u=r[d];m===void 0?(m=lo(n,d,u,s),o[d]=m):m.o(u,s)}}}e(t)});function lo(e,t,n,r){var s=t in e&&e.ownerSVGElement===void 0,o=E(n);return{o:function(i,c){o.value=i,r=c},d:F(function(){this.N=In;var i=o.value.value;r[t]!==i&&(r[t]=i,s?e[t]=i:i!=null&&(i!==!1||t[4]==="-")?e.setAttribute(t,i):e.removeAttribute(t))})}}Ae("unmount",function(e,t){if(typeof t.type=="string"){var n=t.__e;if(n){var r=n.U;if(r){n.U=void 0;for(var s in r){var o=r[s];o&&o.d()}}}var i=t.__np;if(i){var c=t.props;for(var d in i)c[d]=i[d]}t.__np=void 0}else{var m=t.__c;if(m){m.__$f|=8;var u=m.__$u;u&&(m.__$u=void 0,u.d())}}e(t)});Ae("__h",function(e,t,n,r){r<3&&(t.__$f|=2),e(t,n,r)});Se.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var n=this.__$u,r=n&&n.s!==void 0;for(var s in t)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var o=2&this.__$f;if(!(r||o||4&this.__$f)||1&this.__$f)return!0}else if(!(r||4&this.__$f)||3&this.__$f)return!0;for(var i in e)if(i!=="__source"&&e[i]!==this.props[i])return!0;for(var c in this.props)if(!(c in e))return!0;return!1};function co(e,t){return ve(function(){return E(e,t)},[])}var uo=function(e){queueMicrotask(function(){queueMicrotask(e)})};function mo(){zt(function(){for(var e;e=qn.shift();)Ln.call(e)})}function In(){qn.push(this)===1&&(S.requestAnimationFrame||uo)(mo)}var zn=function(e,t,n,r){var s;t[0]=0;for(var o=1;o<t.length;o++){var i=t[o++],c=t[o]?(t[0]|=i?1:2,n[t[o++]]):t[++o];i===3?r[0]=c:i===4?r[1]=Object.assign(r[1]||{},c):i===5?(r[1]=r[1]||{})[t[++o]]=c:i===6?r[1][t[++o]]+=c+"":i?(s=e.apply(c,zn(e,c,n,["",null])),r.push(s),c[0]?t[0]|=2:(t[o-2]=0,t[o]=s)):r.push(c)}return r},Pn=new Map;function Gn(e){var t=Pn.get(this);return t||(t=new Map,Pn.set(this,t)),(t=zn(this,t.get(e)||(t.set(e,t=(function(n){for(var r,s,o=1,i="",c="",d=[0],m=function(h){o===1&&(h||(i=i.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?d.push(0,h,i):o===3&&(h||i)?(d.push(3,h,i),o=2):o===2&&i==="..."&&h?d.push(4,h,0):o===2&&i&&!h?d.push(5,0,!0,i):o>=5&&((i||!h&&o===5)&&(d.push(o,0,i,s),o=6),h&&(d.push(o,h,0,s),o=6)),i=""},u=0;u<n.length;u++){u&&(o===1&&m(),m(u));for(var f=0;f<n[u].length;f++)r=n[u][f],o===1?r==="<"?(m(),d=[d],o=3):i+=r:o===4?i==="--"&&r===">"?(o=1,i=""):i=r+i[0]:c?r===c?c="":i+=r:r==='"'||r==="'"?c=r:r===">"?(m(),o=1):o&&(r==="="?(o=5,s=i,i=""):r==="/"&&(o<5||n[u][f+1]===">")?(m(),o===3&&(d=d[0]),o=d,(d=d[0]).push(2,0,o),o=0):r===" "||r==="	"||r===`
`||r==="\r"?(m(),o=2):i+=r),o===3&&i==="!--"&&(o=4,d=d[0])}return m(),d})(e)),t),arguments,[])).length>1?t:t[0]}var l=Gn.bind(et);var N=E(void 0),Ft=E(""),Fn=!1;F(()=>{Fn&&N.value===null&&location.reload(),Fn=!!N.value});var po=/^#token=([\w-]+)$/;async function Un(){let e=po.exec(location.hash);if(e&&(history.replaceState(null,"",location.pathname+location.search),await Ut(e[1])))return;let t=await fetch("/ui/session").catch(()=>null);N.value=t?.ok?await t.json():null}async function Ut(e){let t={Authorization:`Bearer ${e}`},n=await fetch("/ui/session",{method:"POST",headers:t}).catch(()=>null),r=await n?.json().catch(()=>null);return Ft.value=n?.ok?"":r?.detail??"",n?.ok&&(N.value=r),!!n?.ok}async function Bn(){await fetch("/ui/session",{method:"DELETE",headers:{"X-CSRF-Token":N.value?.csrf??""}}).catch(()=>null),history.replaceState(null,"","/ui/"),N.value=null}var pe=E("idle"),Hn="events",Ht=500,ho=1e4,fo=4401,ye=new Map,Bt=new Set,X=null,ze="",go=0,Ge=Ht,Vt=0;function lt(){clearTimeout(Vt),!(!N.value||X)&&(pe.value=pe.value==="lost"?"lost":"connecting",X=new WebSocket(`${location.protocol==="https:"?"wss:":"ws:"}//${location.host}/v1/socket`),X.onopen=()=>X?.send(JSON.stringify({type:"auth",csrf:N.value?.csrf??""})),X.onmessage=({data:e})=>_o(JSON.parse(e)),X.onclose=({code:e})=>$o(e))}function $o(e){X=null;for(let[t,{reject:n}]of ye)ye.delete(t),n(new Error("lost"));if(e===fo&&(N.value=null),!N.value){pe.value="idle";return}pe.value="lost",Vt=setTimeout(lt,Ge*(.5+Math.random()/2)),Ge=Math.min(Ge*2,ho)}function _o(e){if(e.type==="auth-ok"){Ge=Ht,pe.value="open";let n=ze?{after:ze}:{};X.send(JSON.stringify({id:Hn,service:"events",request:{operation:"subscribe",...n}}));for(let{frame:r}of ye.values())X.send(r);return}if(e.type==="auth-failed"){N.value=null;return}if(e.id===Hn){e.response?.operation==="subscribed"&&!ze&&Vn({kind:"lost"}),e.response?.cursor&&(ze=e.response.cursor),e.response?.kind&&Vn(e.response);return}let t=ye.get(e.id);if(t){if(e.error){ye.delete(e.id),t.reject(new Error(e.error.message));return}t.take(e.response),e.complete&&(ye.delete(e.id),t.resolve())}}function Vn(e){for(let t of Bt)(e.kind==="lost"||t.kinds.some(n=>e.kind.startsWith(n)))&&t.take(e)}function Kn(e,t){let n=`q${go+=1}`,r=JSON.stringify({id:n,service:"agent",request:e});return new Promise((s,o)=>{ye.set(n,{frame:r,take:t,resolve:s,reject:o}),pe.value==="open"?X.send(r):lt()})}function we(e,t){let n={kinds:e,take:t};return Bt.add(n),()=>Bt.delete(n)}F(()=>{N.value?lt():(clearTimeout(Vt),ze="",X?.close())});addEventListener("online",()=>{Ge=Ht,lt()});var ct=class extends Error{constructor(t,n){super(n),this.status=t}};async function Fe(e,t,{query:n={},body:r,headers:s={},signal:o}={}){let i=Object.entries(n).filter(([,u])=>u!==""&&u!==void 0&&u!==null),c=i.length?`${t}?${new URLSearchParams(i)}`:t,d=await fetch(c,{method:e,signal:o,headers:{...r===void 0?{}:{"Content-Type":"application/json"},...e==="GET"?{}:{"X-CSRF-Token":N.value?.csrf??""},...s},body:r===void 0?void 0:JSON.stringify(r)}).catch(u=>{throw u.name==="AbortError"?u:new ct(0,"")}),m=await d.json().catch(()=>null);if(d.status===401&&(N.value=null),!d.ok)throw new ct(d.status,m?.detail??d.statusText);return m}var k=(e,t,n)=>Fe("GET",e,{query:t,...n}),G=(e,t={},n)=>Fe("POST",e,{body:t,...n}),dt=(e,t,n)=>Fe("PUT",e,{body:t,...n}),ut=(e,t,n)=>Fe("PATCH",e,{body:t,...n}),Y=(e,t,n)=>Fe("DELETE",e,{query:t,...n});var Kt={"shell.skip":{en:"Skip to the content",de:"Zum Inhalt springen"},"shell.menu":{en:"Menu",de:"Menü"},"shell.panes":{en:"Panes",de:"Bereiche"},"shell.language":{en:"Language",de:"Sprache"},"shell.theme":{en:"Colours",de:"Farben"},"shell.sign_out":{en:"Sign out",de:"Abmelden"},"shell.all_collections":{en:"all collections",de:"alle Sammlungen"},"theme.system":{en:"System",de:"System"},"theme.light":{en:"Light",de:"Hell"},"theme.dark":{en:"Dark",de:"Dunkel"},"sign_in.title":{en:"Sign in",de:"Anmelden"},"sign_in.command":{en:"This command opens the page and signs you in:",de:"Dieser Befehl öffnet die Seite und meldet Sie an:"},"sign_in.key":{en:"Or a user key",de:"Oder ein Schlüssel eines Benutzers"},"sign_in.submit":{en:"Sign in",de:"Anmelden"},"state.loading":{en:"Loading",de:"Wird geladen"},"state.failed":{en:"That did not work.",de:"Das hat nicht funktioniert."},"state.unreachable":{en:"The server does not answer. It may have stopped: start it with react-mem up.",de:"Der Server antwortet nicht. Vielleicht läuft er nicht mehr: react-mem up startet ihn."},"state.connection_lost":{en:"The connection is lost. The page connects again by itself.",de:"Die Verbindung ist unterbrochen. Die Seite verbindet sich von selbst wieder."},"state.no_page":{en:"Page not found",de:"Seite nicht gefunden"},"state.no_page_text":{en:"Choose a pane in the menu.",de:"Wählen Sie einen Bereich im Menü."},"action.retry":{en:"Try again",de:"Noch einmal"},"action.cancel":{en:"Cancel",de:"Abbrechen"},"action.undo":{en:"Undo",de:"Rückgängig"},"confirm.type":{en:"Type {word} to confirm",de:"Zur Bestätigung {word} eingeben"},"pane.ask":{en:"Ask",de:"Fragen"},"pane.memories":{en:"Memories",de:"Erinnerungen"},"pane.recall":{en:"Recall debugger",de:"Abruf untersuchen"},"kind.turn":{en:"turn",de:"Äußerung"},"kind.semantic":{en:"fact",de:"Fakt"},"kind.procedural":{en:"rule",de:"Regel"},"kind.reflective":{en:"insight",de:"Einsicht"},"kind.topic":{en:"topic",de:"Thema"},"status.active":{en:"active",de:"aktiv"},"status.superseded":{en:"superseded",de:"überholt"},"status.quarantined":{en:"held back",de:"zurückgehalten"},"status.undone":{en:"undone",de:"rückgängig"},"status.pending":{en:"waiting",de:"wartet"},"status.queued":{en:"waiting",de:"wartet"},"status.deferred":{en:"waiting for the model",de:"wartet auf das Modell"},"status.running":{en:"running",de:"läuft"},"status.succeeded":{en:"done",de:"fertig"},"status.failed":{en:"failed",de:"fehlgeschlagen"},"status.cancelled":{en:"cancelled",de:"abgebrochen"},"step.thought":{en:"Thought",de:"Gedanke"},"step.action":{en:"Action",de:"Aktion"},"step.observation":{en:"Observation",de:"Beobachtung"},"job.record":{en:"record",de:"Aufzeichnung"},"job.understand":{en:"understanding",de:"Verstehen"},"job.extract":{en:"extraction",de:"Auswertung"},"job.forget":{en:"erasure",de:"Löschung"},"pane.conversations":{en:"Conversations",de:"Gespräche"},"pane.rules":{en:"Rules and topics",de:"Regeln und Themen"},"pane.jobs":{en:"Jobs",de:"Aufträge"},"pane.learning":{en:"Learning",de:"Lernen"},"pane.erasures":{en:"Erasures",de:"Löschungen"},"pane.graph":{en:"Neighbourhood",de:"Umgebung"},"pane.settings":{en:"Settings",de:"Einstellungen"},"pane.health":{en:"Health",de:"Zustand"},"action.forget":{en:"Erase",de:"Löschen"},"action.edit":{en:"Edit",de:"Bearbeiten"},"action.save":{en:"Save",de:"Speichern"},"list.shown":{en:{one:"{n} shown",other:"{n} shown"},de:{one:"{n} gezeigt",other:"{n} gezeigt"}},"list.more":{en:"Show more",de:"Mehr zeigen"},"list.or_more":{en:"{n} or more",de:"{n} oder mehr"},"chart.table":{en:"As a table",de:"Als Tabelle"},"chart.turn":{en:"Turn",de:"Runde"},"conversations.lead":{en:"What was said, and what was learned from it.",de:"Was gesagt wurde, und was daraus gelernt wurde."},"conversations.views":{en:"Views",de:"Ansichten"},"conversations.list":{en:"Conversations",de:"Gespräche"},"conversations.episodes":{en:"Episodes",de:"Episoden"},"conversations.empty":{en:"No conversation yet",de:"Noch kein Gespräch"},"conversations.empty_text":{en:"Ask something here, or begin one in a terminal:",de:"Fragen Sie hier etwas, oder beginnen Sie eines im Terminal:"},"conversations.exchanges":{en:{one:"{n} exchange",other:"{n} exchanges"},de:{one:"{n} Wortwechsel",other:"{n} Wortwechsel"}},"conversations.ended":{en:"ended",de:"beendet"},"conversations.open":{en:"open",de:"offen"},"conversations.one":{en:"Conversation",de:"Gespräch"},"conversations.back":{en:"All conversations",de:"Alle Gespräche"},"conversations.learned":{en:{one:"{n} memory from it",other:"{n} memories from it"},de:{one:"{n} Erinnerung daraus",other:"{n} Erinnerungen daraus"}},"conversations.memories":{en:"What was remembered from it",de:"Was daraus behalten wurde"},"conversations.end":{en:"End the conversation",de:"Gespräch beenden"},"conversations.end_text":{en:"What follows from it is learned now. A later question begins a new conversation.",de:"Was daraus folgt, wird jetzt gelernt. Eine spätere Frage beginnt ein neues Gespräch."},"conversations.now_ended":{en:"The conversation is ended. Learning from it begins.",de:"Das Gespräch ist beendet. Jetzt wird daraus gelernt."},"conversations.forget":{en:"Erase the conversation",de:"Gespräch löschen"},"conversations.forget_text":{en:"This erases for good, with everything derived from it: exchanges: {exchanges}, memories: {memories}.",de:"Das löscht endgültig, mit allem, was davon abgeleitet ist: Wortwechsel: {exchanges}, Erinnerungen: {memories}."},"conversations.forgotten":{en:"The conversation is erased.",de:"Das Gespräch ist gelöscht."},"episodes.empty":{en:"No episode yet",de:"Noch keine Episode"},"episodes.empty_text":{en:"An episode is a task with its steps and outcome. The agent keeps one when it has solved a task with tools.",de:"Eine Episode ist eine Aufgabe mit Schritten und Ergebnis. Der Agent behält eine, wenn er eine Aufgabe mit Werkzeugen gelöst hat."},"episodes.succeeded":{en:"succeeded",de:"gelungen"},"episodes.failed":{en:"failed",de:"misslungen"},"episodes.conversation":{en:"Conversation",de:"Gespräch"},"episodes.lessons":{en:"Lessons:",de:"Lehren:"},"episodes.steps":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"episodes.forget":{en:"Erase the episode",de:"Episode löschen"},"episodes.forget_text":{en:"This erases the episode for good.",de:"Das löscht die Episode endgültig."},"episodes.forgotten":{en:"The episode is erased.",de:"Die Episode ist gelöscht."},"rules.lead":{en:"What the agent follows in each answer, and its summary of you.",de:"Woran sich der Agent in jeder Antwort hält, und seine Zusammenfassung über Sie."},"rules.add":{en:"Add a rule",de:"Regel hinzufügen"},"rules.edit":{en:"Edit the rule",de:"Regel bearbeiten"},"rules.empty":{en:"No rule yet",de:"Noch keine Regel"},"rules.empty_text":{en:"Tell the agent what it should always or never do, or add a rule here.",de:"Sagen Sie dem Agenten, was er immer oder nie tun soll, oder fügen Sie hier eine Regel hinzu."},"rules.when":{en:"When: {condition}",de:"Wenn: {condition}"},"rules.history":{en:"History",de:"Verlauf"},"rules.condition":{en:"When it applies (empty: always)",de:"Wann sie gilt (leer: immer)"},"rules.action":{en:"What to do",de:"Was zu tun ist"},"rules.saved":{en:"The rule is saved.",de:"Die Regel ist gespeichert."},"rules.forget":{en:"Erase the rule",de:"Regel löschen"},"rules.forget_text":{en:"This erases the rule for good.",de:"Das löscht die Regel endgültig."},"rules.forgotten":{en:"The rule is erased.",de:"Die Regel ist gelöscht."},"rules.topics":{en:"What is known",de:"Was bekannt ist"},"rules.no_topics":{en:"Nothing is known by topic yet.",de:"Noch ist nichts nach Themen bekannt."},"jobs.lead":{en:"What runs in the background, what waits, and what failed.",de:"Was im Hintergrund läuft, was wartet und was fehlgeschlagen ist."},"jobs.filter":{en:"State",de:"Stand"},"jobs.all":{en:"all",de:"alle"},"jobs.empty":{en:"No job",de:"Kein Auftrag"},"jobs.none":{en:"No job in this state",de:"Kein Auftrag in diesem Stand"},"jobs.empty_text":{en:"Jobs follow each answer: they record it and learn from it.",de:"Aufträge folgen auf jede Antwort: Sie zeichnen sie auf und lernen daraus."},"jobs.attempt":{en:"attempt {n}",de:"Versuch {n}"},"jobs.retry":{en:"Run again",de:"Noch einmal ausführen"},"jobs.retry_done":{en:"The job runs again.",de:"Der Auftrag läuft noch einmal."},"jobs.cancel":{en:"Cancel the job",de:"Auftrag abbrechen"},"jobs.cancel_done":{en:"The job is cancelled.",de:"Der Auftrag ist abgebrochen."},"jobs.drop":{en:"Drop the job",de:"Auftrag verwerfen"},"jobs.drop_text":{en:"The job ({kind}) is discarded with what it was to work on. Memories stay.",de:"Der Auftrag ({kind}) wird verworfen, mit dem, was er bearbeiten sollte. Erinnerungen bleiben."},"jobs.dropped":{en:"The job is dropped.",de:"Der Auftrag ist verworfen."},"jobs.embedding":{en:"The embedding model is being changed: {scopes} scopes with {records} records remain.",de:"Das Einbettungsmodell wird gewechselt: {scopes} Bereiche mit {records} Einträgen stehen aus."},"job.reward":{en:"learning",de:"Lernen"},"job.reembed":{en:"embedding",de:"Einbettung"},"job.profile":{en:"profile",de:"Profil"},"job.reflect":{en:"reflection",de:"Reflexion"},"job.consolidate":{en:"consolidation",de:"Zusammenführung"},"job.compact":{en:"summary",de:"Zusammenfassung"},"job.episode":{en:"episode",de:"Episode"},"job.promote":{en:"conversation's end",de:"Ende des Gesprächs"},"job.insight":{en:"insight",de:"Einsicht"},"job.retain":{en:"clearing out",de:"Aufräumen"},"learning.lead":{en:"The ranking learns from which memories an answer cites.",de:"Die Reihenfolge lernt daraus, welche Erinnerungen eine Antwort nennt."},"learning.empty":{en:"Nothing learned yet",de:"Noch nichts gelernt"},"learning.empty_text":{en:"The ranking learns when an answer cites its memories.",de:"Die Reihenfolge lernt, wenn eine Antwort ihre Erinnerungen nennt."},"learning.early":{en:"It is too early to say whether learning helps. That needs {needed} answers for which the learned order and that of retrieval differ; so far the learned order was better in {won} and worse in {lost}.",de:"Ob das Lernen hilft, ist noch nicht zu sagen. Nötig sind {needed} Antworten, für die sich die gelernte Reihenfolge unterscheidet; bisher war sie in {won} besser und in {lost} schlechter."},"learning.helps":{en:"Learning helps: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.no_help":{en:"Learning does not help so far: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft bisher nicht: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.off":{en:"Nothing was learned from the last answer: a setting switches it off here.",de:"Aus der letzten Antwort wurde nichts gelernt: Eine Einstellung schaltet das hier ab."},"learning.turns":{en:{one:"answer",other:"answers"},de:{one:"Antwort",other:"Antworten"}},"learning.updates":{en:"updates",de:"Anpassungen"},"learning.trust":{en:"trust in the learned order",de:"Vertrauen in die gelernte Reihenfolge"},"learning.citations":{en:"Citations",de:"Nennungen"},"learning.rewards":{en:"Reward",de:"Belohnung"},"learning.weights":{en:"Weights in time",de:"Gewichte im Lauf der Zeit"},"learning.citation_rate":{en:"citation rate",de:"Anteil der Genannten"},"learning.mrr_shown":{en:"reciprocal rank of the first cited",de:"Kehrwert des Rangs der ersten Genannten"},"learning.reward":{en:"reward",de:"Belohnung"},"learning.weight_norm":{en:"weight norm",de:"Norm der Gewichte"},"learning.means":{en:"Citation rate, rank and reward are means of {n} turns.",de:"Anteil, Rang und Belohnung sind Mittel über {n} Runden."},"learning.features":{en:"Learned weights",de:"Gelernte Gewichte"},"erasures.lead":{en:"Whether memory is used, what is erased, and the proof that it is gone.",de:"Ob Erinnerungen benutzt werden, was gelöscht wird, und der Nachweis, dass es fort ist."},"erasures.switches":{en:"Use of memory",de:"Gebrauch der Erinnerung"},"erasures.read":{en:"Recall",de:"Abrufen"},"erasures.read_text":{en:"Answers may rest on what was remembered. Off: nothing is shown or recalled.",de:"Antworten dürfen auf Erinnerungen beruhen. Aus: Nichts wird gezeigt oder abgerufen."},"erasures.write":{en:"Record",de:"Aufzeichnen"},"erasures.write_text":{en:"What you say is remembered. Off: nothing new is stored.",de:"Was Sie sagen, wird behalten. Aus: Nichts Neues wird gespeichert."},"erasures.read_on":{en:"Recall is on.",de:"Abrufen ist an."},"erasures.read_off":{en:"Recall is off.",de:"Abrufen ist aus."},"erasures.write_on":{en:"Recording is on.",de:"Aufzeichnen ist an."},"erasures.write_off":{en:"Recording is off.",de:"Aufzeichnen ist aus."},"erasures.all":{en:"Erase everything",de:"Alles löschen"},"erasures.all_text":{en:"Single memories and conversations are erased in their own panes.",de:"Einzelne Erinnerungen und Gespräche werden in ihren Bereichen gelöscht."},"erasures.collection":{en:"Erase the collection {name}",de:"Sammlung {name} löschen"},"erasures.user":{en:"Erase all collections of {name}",de:"Alle Sammlungen von {name} löschen"},"erasures.for_good":{en:"This erases for good. An undo does not bring it back.",de:"Das löscht endgültig. Kein Rückgängig bringt es wieder."},"erasures.episodes":{en:"episodes",de:"Episoden"},"erasures.conversations":{en:"conversations",de:"Gespräche"},"erasures.done":{en:"Erased. The receipt is below.",de:"Gelöscht. Die Quittung steht unten."},"erasures.receipts":{en:"Receipts",de:"Quittungen"},"erasures.empty":{en:"Nothing was erased yet",de:"Noch nichts gelöscht"},"erasures.empty_text":{en:"Each erasure leaves a receipt: what was found, removed and left in each store. It holds numbers and no text.",de:"Jede Löschung hinterlässt eine Quittung: was in jedem Speicher gefunden, entfernt und übrig ist. Sie enthält Zahlen und keinen Text."},"receipt.show":{en:"Show the receipt",de:"Quittung zeigen"},"receipt.save":{en:"Save as a file",de:"Als Datei speichern"},"level.record":{en:"Memory",de:"Erinnerung"},"level.conversation":{en:"Conversation",de:"Gespräch"},"level.collection":{en:"Collection",de:"Sammlung"},"level.user":{en:"User",de:"Benutzer"},"level.workspace":{en:"Workspace",de:"Arbeitsbereich"},"graph.lead":{en:"What one memory was derived from, replaced, was said with, and is similar to.",de:"Woraus eine Erinnerung abgeleitet ist, was sie ersetzt, womit sie gesagt wurde und was ihr ähnelt."},"graph.empty":{en:"Choose a memory",de:"Wählen Sie eine Erinnerung"},"graph.empty_text":{en:"Search for one above.",de:"Suchen Sie oben eine."},"graph.search":{en:"Search memories",de:"Erinnerungen suchen"},"graph.find":{en:"Search",de:"Suchen"},"graph.results":{en:"Found memories",de:"Gefundene Erinnerungen"},"graph.none":{en:"Nothing was found.",de:"Nichts gefunden."},"graph.picture":{en:{one:"Picture of the memory and {n} neighbour; the list has the same.",other:"Picture of the memory and its {n} neighbours; the list has the same."},de:{one:"Bild der Erinnerung mit {n} Nachbarn; die Liste enthält dasselbe.",other:"Bild der Erinnerung mit {n} Nachbarn; die Liste enthält dasselbe."}},"graph.open":{en:"Open the memory",de:"Erinnerung öffnen"},"graph.conversation":{en:"Conversation",de:"Gespräch"},"graph.alone":{en:"It has no neighbour.",de:"Sie hat keine Nachbarn."},"graph.left_out":{en:{one:"{n} more connection is not shown.",other:"{n} more connections are not shown."},de:{one:"{n} weitere Verbindung ist nicht gezeigt.",other:"{n} weitere Verbindungen sind nicht gezeigt."}},"relation.replaced_by":{en:"Replaces or replaced by",de:"Ersetzt oder ersetzt durch"},"relation.derived_from":{en:"Derived",de:"Abgeleitet"},"relation.about_the_same":{en:"About the same",de:"Über dasselbe"},"relation.similar":{en:"Similar",de:"Ähnlich"},"relation.said_in":{en:"Same conversation",de:"Gleiches Gespräch"},"settings.lead":{en:"They hold for everyone who uses this flow. Each value is checked as you change it.",de:"Sie gelten für alle, die diesen Ablauf benutzen. Jeder Wert wird beim Ändern geprüft."},"settings.filter":{en:"Search settings",de:"Einstellungen suchen"},"settings.none":{en:"No setting has these words.",de:"Keine Einstellung enthält diese Wörter."},"settings.default":{en:"Default: {value}.",de:"Vorgabe: {value}."},"settings.range":{en:"From {low} to {high}.",de:"Von {low} bis {high}."},"settings.set":{en:"Set here.",de:"Hier gesetzt."},"settings.true":{en:"on",de:"an"},"settings.false":{en:"off",de:"aus"},"settings.empty":{en:"(empty)",de:"(leer)"},"settings.not_json":{en:"This is not a value of this setting: write a number, or JSON.",de:"Das ist kein Wert dieser Einstellung: Schreiben Sie eine Zahl oder JSON."},"settings.discard":{en:"Discard changes",de:"Änderungen verwerfen"},"settings.save":{en:{one:"Save {n} change",other:"Save {n} changes"},de:{one:"{n} Änderung speichern",other:"{n} Änderungen speichern"}},"settings.for_all":{en:"These changes hold for everyone who uses this flow.",de:"Diese Änderungen gelten für alle, die diesen Ablauf benutzen."},"settings.key":{en:"Admin key",de:"Schlüssel eines Verwalters"},"settings.key_text":{en:"It is used once and not kept. This command makes one:",de:"Er wird einmal benutzt und nicht behalten. Dieser Befehl erzeugt einen:"},"settings.saved":{en:"The settings are saved.",de:"Die Einstellungen sind gespeichert."},"health.lead":{en:"Whether every part answers, what is stored, and who has a key.",de:"Ob jeder Teil antwortet, was gespeichert ist und wer einen Schlüssel hat."},"health.again":{en:"Check again",de:"Noch einmal prüfen"},"health.parts":{en:"Parts",de:"Teile"},"health.ready":{en:"ready",de:"bereit"},"health.not_ready":{en:"not ready",de:"nicht bereit"},"health.ok":{en:"ok",de:"in Ordnung"},"health.versions":{en:"Versions",de:"Versionen"},"health.embedding":{en:"Embedding model",de:"Einbettungsmodell"},"health.nothing":{en:"Nothing yet.",de:"Noch nichts."},"health.stored":{en:"Stored",de:"Gespeichert"},"stored.turn":{en:{one:"turn",other:"turns"},de:{one:"Äußerung",other:"Äußerungen"}},"stored.semantic":{en:{one:"fact",other:"facts"},de:{one:"Fakt",other:"Fakten"}},"stored.procedural":{en:{one:"rule",other:"rules"},de:{one:"Regel",other:"Regeln"}},"stored.reflective":{en:{one:"insight",other:"insights"},de:{one:"Einsicht",other:"Einsichten"}},"stored.topic":{en:{one:"topic",other:"topics"},de:{one:"Thema",other:"Themen"}},"stored.vectors":{en:{one:"vector",other:"vectors"},de:{one:"Vektor",other:"Vektoren"}},"stored.conversations":{en:{one:"conversation",other:"conversations"},de:{one:"Gespräch",other:"Gespräche"}},"stored.invocations":{en:{one:"exchange",other:"exchanges"},de:{one:"Wortwechsel",other:"Wortwechsel"}},"health.keys":{en:"Your keys",de:"Ihre Schlüssel"},"health.no_keys":{en:"There is none. A program needs one; this command makes it:",de:"Es gibt keinen. Ein Programm braucht einen; dieser Befehl erzeugt ihn:"},"health.key":{en:"Key",de:"Schlüssel"},"health.label":{en:"Label",de:"Bezeichnung"},"health.reach":{en:"Collections",de:"Sammlungen"},"health.made":{en:"Made",de:"Erstellt"},"health.used":{en:"Last used",de:"Zuletzt benutzt"},"health.never":{en:"never",de:"nie"},"health.state":{en:"State",de:"Stand"},"health.valid":{en:"valid",de:"gültig"},"health.reads":{en:"reads only",de:"nur lesend"},"health.revoked":{en:"revoked",de:"gesperrt"},"erasures.complete":{en:"complete",de:"vollständig"},"erasures.incomplete":{en:"not complete",de:"nicht vollständig"},"erasures.removed":{en:{one:"{n} entry removed",other:"{n} entries removed"},de:{one:"{n} Eintrag entfernt",other:"{n} Einträge entfernt"}},"erasures.places":{en:"Places",de:"Orte"},"ask.lead":{en:"Each answer shows what was recalled for it, and why.",de:"Zu jeder Antwort steht, woran sich der Agent dafür erinnert hat, und warum."},"ask.new":{en:"New conversation",de:"Neues Gespräch"},"ask.empty":{en:"Tell it something, or ask",de:"Erzählen oder fragen Sie etwas"},"ask.empty_text":{en:"What you say is remembered and comes back when it matters, in this conversation and in later ones.",de:"Was Sie sagen, wird behalten und kommt wieder, wenn es zählt: in diesem Gespräch und in späteren."},"ask.question":{en:"Your question",de:"Ihre Frage"},"ask.placeholder":{en:"Ask, or say something to remember",de:"Fragen, oder etwas Merkenswertes sagen"},"ask.send":{en:"Send",de:"Senden"},"ask.recalling":{en:"Recalling …",de:"Erinnert sich …"},"ask.answering":{en:"Answering …",de:"Antwortet …"},"ask.lost":{en:"The connection was lost during the answer. The turn is finished and recorded all the same: see the conversation.",de:"Die Verbindung brach während der Antwort ab. Der Agent beantwortet die Frage trotzdem und zeichnet sie auf: siehe das Gespräch."},"ask.recalled":{en:{one:"{n} memory recalled",other:"{n} memories recalled"},de:{one:"{n} Erinnerung abgerufen",other:"{n} Erinnerungen abgerufen"}},"ask.nothing_recalled":{en:"Nothing was recalled.",de:"Es wurde nichts abgerufen."},"ask.gate":{en:"Nothing was searched for ({reason}).",de:"Es wurde nicht gesucht ({reason})."},"ask.missing":{en:"Without {part}: {reason}",de:"Ohne {part}: {reason}"},"ask.rests":{en:{one:"rests on {n} memory",other:"rests on {n} memories"},de:{one:"beruht auf {n} Erinnerung",other:"beruht auf {n} Erinnerungen"}},"ask.rests_on_none":{en:"cites no memory",de:"nennt keine Erinnerung"},"ask.useful":{en:"The cited memories were useful",de:"Die genannten Erinnerungen waren nützlich"},"ask.useless":{en:"The cited memories were not useful",de:"Die genannten Erinnerungen waren nicht nützlich"},"ask.rated":{en:{one:"Noted for {n} memory. The ranking learns from it.",other:"Noted for {n} memories. The ranking learns from it."},de:{one:"Notiert für {n} Erinnerung. Die Reihenfolge lernt daraus.",other:"Notiert für {n} Erinnerungen. Die Reihenfolge lernt daraus."}},"ask.score":{en:"score {score}",de:"Wertung {score}"},"ask.rank_before":{en:"rank {rank} before learning",de:"vor dem Lernen Rang {rank}"},"ask.cited":{en:"cited",de:"genannt"},"ask.erased":{en:"This memory was erased.",de:"Diese Erinnerung wurde gelöscht."},"ask.thoughts":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"ask.debug":{en:"Why these and not others?",de:"Warum diese und keine anderen?"},"ask.jobs":{en:"What follows in the background",de:"Was im Hintergrund folgt"},"action.close":{en:"Close",de:"Schließen"},"memories.search":{en:"Search by meaning",de:"Nach Bedeutung suchen"},"memories.filters":{en:"Filters",de:"Filter"},"memories.filters_set":{en:{one:"{n} filter set",other:"{n} filters set"},de:{one:"{n} Filter gesetzt",other:"{n} Filter gesetzt"}},"memories.kind":{en:"Kind",de:"Art"},"memories.status":{en:"Status",de:"Status"},"memories.speaker":{en:"Speaker",de:"Sprecher"},"memories.since":{en:"From",de:"Von"},"memories.until":{en:"Until",de:"Bis"},"memories.any":{en:"Any",de:"Alle"},"memories.clear":{en:"Clear",de:"Leeren"},"memories.list":{en:"Memories",de:"Erinnerungen"},"memories.count":{en:{one:"{n} memory",other:"{n} memories"},de:{one:"{n} Erinnerung",other:"{n} Erinnerungen"}},"memories.count_more":{en:{one:"More than {n} memory",other:"More than {n} memories"},de:{one:"Mehr als {n} Erinnerung",other:"Mehr als {n} Erinnerungen"}},"memories.choose":{en:"Choose a memory",de:"Wählen Sie eine Erinnerung"},"memories.choose_text":{en:"Its text, its sources and its history are shown here.",de:"Hier stehen dann ihr Text, ihre Quellen und ihre Geschichte."},"memories.none":{en:"No memory matches",de:"Keine Erinnerung passt"},"memories.none_text":{en:"Change the filters or the search.",de:"Ändern Sie die Filter oder die Suche."},"memories.empty":{en:"Nothing is remembered yet",de:"Noch keine Erinnerungen"},"memories.empty_text":{en:"Talk to the agent here, or in a terminal:",de:"Sprechen Sie hier mit dem Agenten, oder im Terminal:"},"memory.one":{en:"The chosen memory",de:"Die gewählte Erinnerung"},"memory.close":{en:"Close",de:"Schließen"},"memory.gone":{en:"This memory does not exist",de:"Diese Erinnerung gibt es nicht"},"memory.gone_text":{en:"It was erased, or the address is wrong.",de:"Sie wurde gelöscht, oder die Adresse ist falsch."},"memory.said_by":{en:"said by {speaker}",de:"gesagt von {speaker}"},"memory.edit":{en:"Edit",de:"Bearbeiten"},"memory.undo":{en:"Undo the last change",de:"Letzte Änderung zurücknehmen"},"memory.forget":{en:"Forget …",de:"Vergessen …"},"memory.text":{en:"Text",de:"Text"},"memory.condition":{en:"When",de:"Wann"},"memory.action":{en:"What to do",de:"Was zu tun ist"},"memory.importance":{en:"Importance",de:"Wichtigkeit"},"memory.importance_of":{en:"Importance: {value}",de:"Wichtigkeit: {value}"},"memory.saved":{en:"Saved. The former version stays in the history.",de:"Gespeichert. Die frühere Fassung bleibt in der Geschichte."},"memory.undone":{en:{one:"{n} memory changed.",other:"{n} memories changed."},de:{one:"{n} Erinnerung geändert.",other:"{n} Erinnerungen geändert."}},"memory.redo":{en:"Revert",de:"Wiederherstellen"},"memory.trust":{en:"Trust",de:"Vertrauen"},"memory.uses":{en:"Times cited",de:"Zitate"},"memory.conversation":{en:"Conversation",de:"Gespräch"},"memory.superseded_by":{en:"Superseded by",de:"Überholt von"},"memory.derived_from":{en:"Derived from",de:"Abgeleitet von"},"memory.source":{en:"source {n}",de:"Quelle {n}"},"memory.id":{en:"Id",de:"Kennung"},"trust.user":{en:"the user",de:"der Benutzer"},"trust.assistant":{en:"the assistant",de:"der Assistent"},"trust.tool":{en:"a tool",de:"ein Werkzeug"},"trust.document":{en:"a document",de:"ein Dokument"},"trust.import":{en:"an import",de:"ein Import"},"memory.life":{en:"Validity and history",de:"Gültigkeit und Geschichte"},"memory.holds_from":{en:"Holds from",de:"Gilt ab"},"memory.holds_still":{en:"and holds now",de:"und gilt noch"},"memory.held_until":{en:"until",de:"bis"},"memory.now":{en:"now",de:"jetzt"},"memory.version":{en:"version {version}",de:"Fassung {version}"},"by.job":{en:"by a job",de:"von einem Auftrag"},"by.facts-service":{en:"directly",de:"direkt"},"by.manager":{en:"by a program",de:"von einem Programm"},"by.import":{en:"import",de:"Import"},"change.created":{en:"Created",de:"Angelegt"},"change.updated":{en:"Changed",de:"Geändert"},"change.superseded":{en:"Superseded",de:"Überholt"},"change.quarantined":{en:"Held back",de:"Zurückgehalten"},"change.released":{en:"Released",de:"Freigegeben"},"change.undone":{en:"Undone",de:"Zurückgenommen"},"change.restored":{en:"Restored",de:"Wiederhergestellt"},"change.forgotten":{en:"Erased",de:"Gelöscht"},"memory.forget_title":{en:"Forget this memory",de:"Diese Erinnerung vergessen"},"memory.forget_count":{en:{one:"Erase {n} memory",other:"Erase {n} memories"},de:{one:"{n} Erinnerung löschen",other:"{n} Erinnerungen löschen"}},"memory.forget_one":{en:"this memory, with its history and its vectors",de:"diese Erinnerung mit ihrer Geschichte und ihren Vektoren"},"memory.forget_derived":{en:{one:"{n} memory derived from it",other:"{n} memories derived from it"},de:{one:"{n} davon abgeleitete Erinnerung",other:"{n} davon abgeleitete Erinnerungen"}},"memory.forget_repeats":{en:{one:"{n} answer that repeats it, if chosen:",other:"{n} answers that repeat it, if chosen:"},de:{one:"{n} Antwort, die sie wiederholt, falls gewählt:",other:"{n} Antworten, die sie wiederholen, falls gewählt:"}},"memory.forget_final":{en:"This cannot be undone.",de:"Das kann nicht rückgängig gemacht werden."},"memory.erased":{en:"Erased",de:"Gelöscht"},"receipt.running":{en:"The erasure is still running. Its receipt comes with it.",de:"Die Löschung läuft noch. Der Beleg folgt."},"receipt.complete":{en:"A second search found nothing left.",de:"Eine zweite Suche fand keinen Rest."},"receipt.incomplete":{en:"Something is left. The erasure goes on.",de:"Es ist noch etwas übrig. Die Löschung geht weiter."},"receipt.place":{en:"Place",de:"Ort"},"receipt.found":{en:"Found",de:"Gefunden"},"receipt.removed":{en:"Removed",de:"Entfernt"},"receipt.left":{en:"Left",de:"Übrig"},"place.graph.facts":{en:"memories",de:"Erinnerungen"},"place.graph.episodes":{en:"episodes",de:"Episoden"},"place.graph.conversations":{en:"conversations",de:"Gespräche"},"place.graph.invocations":{en:"exchanges",de:"Wortwechsel"},"place.graph.refinements":{en:"revised drafts",de:"überarbeitete Entwürfe"},"place.vectors.facts":{en:"vectors of memories",de:"Vektoren von Erinnerungen"},"place.vectors.episodes":{en:"vectors of episodes",de:"Vektoren von Episoden"},"place.jobs":{en:"jobs",de:"Aufträge"},"place.weights":{en:"learned weights",de:"gelernte Gewichte"},"place.switches":{en:"switches",de:"Schalter"},"place.keys":{en:"keys of waiting jobs",de:"Schlüssel wartender Aufträge"},"files.pending":{en:"The files of the stores are rewritten in the background.",de:"Die Dateien der Speicher werden im Hintergrund neu geschrieben."},"files.rewritten":{en:"The files of the stores were rewritten.",de:"Die Dateien der Speicher wurden neu geschrieben."},"recall.lead":{en:"Why a memory is recalled for a question, or is not.",de:"Warum eine Erinnerung zu einer Frage abgerufen wird, oder nicht."},"recall.question":{en:"Question",de:"Frage"},"recall.limit":{en:"Shown",de:"Gezeigt"},"recall.candidates":{en:"Candidates",de:"Kandidaten"},"recall.rerank":{en:"Reranking",de:"Neuordnung"},"recall.rerank_default":{en:"as set",de:"wie eingestellt"},"recall.explain":{en:"Explain",de:"Erklären"},"rerank.off":{en:"off",de:"aus"},"rerank.paper":{en:"paper",de:"paper"},"rerank.calibrated":{en:"calibrated",de:"calibrated"},"recall.empty":{en:"Put a question",de:"Stellen Sie eine Frage"},"recall.empty_text":{en:"You see its candidates, how the learned ranking orders them, and what each score is made of. Nothing is stored.",de:"Sie sehen die Kandidaten, wie die gelernte Reihenfolge sie ordnet, und woraus sich jede Wertung zusammensetzt. Es wird nichts gespeichert."},"recall.summary":{en:{one:"{n} candidate",other:"{n} candidates"},de:{one:"{n} Kandidat",other:"{n} Kandidaten"}},"recall.policy":{en:"learned weights, version {version}",de:"gelernte Gewichte, Fassung {version}"},"recall.no_policy":{en:"no learned weights yet",de:"noch keine gelernten Gewichte"},"recall.took":{en:"{ms} ms",de:"{ms} ms"},"recall.unranked":{en:"The learned weights were not used: {reason}",de:"Die gelernten Gewichte wurden nicht benutzt: {reason}"},"recall.abstained":{en:"No memory is similar enough to the question, so nothing would be shown.",de:"Keine Erinnerung ist der Frage ähnlich genug. Es würde nichts gezeigt."},"recall.nothing":{en:"There is nothing to recall",de:"Es gibt nichts abzurufen"},"recall.nothing_text":{en:"This collection has no memories of these kinds.",de:"Diese Sammlung hat keine solchen Erinnerungen."},"recall.shown":{en:"Shown to the model: {n}",de:"Dem Modell gezeigt: {n}"},"recall.shown_text":{en:"These would stand in the prompt, in this order.",de:"Diese stünden im Prompt, in dieser Reihenfolge."},"recall.cut":{en:"Left out, because better ones fill the prompt: {n}",de:"Ausgelassen, weil bessere den Prompt füllen: {n}"},"recall.cut_text":{en:"A larger number of shown memories would include them.",de:"Wären mehr Erinnerungen gezeigt, wären sie dabei."},"recall.folded":{en:"Folded into others: {n}",de:"Mit anderen zusammengelegt: {n}"},"recall.folded_text":{en:"Another memory says the same and takes the place.",de:"Eine andere Erinnerung sagt dasselbe und nimmt den Platz ein."},"recall.dissimilar":{en:"Not similar enough: {n}",de:"Nicht ähnlich genug: {n}"},"recall.dissimilar_text":{en:"They are below the similarity floor of the embedding model.",de:"Sie liegen unter der Ähnlichkeitsschwelle des Einbettungsmodells."},"recall.state_shown":{en:"shown",de:"gezeigt"},"recall.state_cut":{en:"left out",de:"ausgelassen"},"recall.state_folded":{en:"folded",de:"zusammengelegt"},"recall.state_dissimilar":{en:"not similar",de:"nicht ähnlich"},"recall.folded_into":{en:"It shares a source with:",de:"Gemeinsame Quelle mit:"},"recall.folded_repeat":{en:"It repeats what another memory says.",de:"Sie wiederholt, was eine andere Erinnerung sagt."},"recall.rose":{en:{one:"up {n} place",other:"up {n} places"},de:{one:"{n} Platz aufgestiegen",other:"{n} Plätze aufgestiegen"}},"recall.fell":{en:{one:"down {n} place",other:"down {n} places"},de:{one:"{n} Platz abgestiegen",other:"{n} Plätze abgestiegen"}},"recall.before":{en:"Before",de:"Vorher"},"recall.after":{en:"After",de:"Nachher"},"recall.share":{en:"Share",de:"Anteil"},"recall.why":{en:{one:"{n} feature adds to it",other:"{n} features add to it"},de:{one:"{n} Merkmal trägt bei",other:"{n} Merkmale tragen bei"}},"recall.rules":{en:{one:"{n} rule that applies",other:"{n} rules that apply"},de:{one:"{n} Regel, die gilt",other:"{n} Regeln, die gelten"}},"feature.text":{en:"similar text",de:"ähnlicher Text"},"feature.context":{en:"similar context",de:"ähnlicher Zusammenhang"},"feature.nearest":{en:"nearest of text and context",de:"nächstes von Text und Zusammenhang"},"feature.retrieval":{en:"retrieval",de:"Suche"},"feature.vector":{en:"learned vector",de:"gelernter Vektor"},"feature.matrix":{en:"learned matrices",de:"gelernte Matrizen"},"feature.late":{en:"similar words",de:"ähnliche Wörter"},"feature.words":{en:"words in it",de:"Wörter darin"},"feature.words_context":{en:"words near it",de:"Wörter daneben"},"feature.words_wide":{en:"words around it",de:"Wörter ringsum"},"feature.covered":{en:"words covered",de:"abgedeckte Wörter"},"feature.text_before":{en:"turn before",de:"Äußerung davor"},"feature.text_after":{en:"turn after",de:"Äußerung danach"},"feature.context_after":{en:"context after",de:"Zusammenhang danach"},"feature.context_later":{en:"context later",de:"späterer Zusammenhang"},"feature.session_text":{en:"conversation: text",de:"Gespräch: Text"},"feature.session_context":{en:"conversation: context",de:"Gespräch: Zusammenhang"},"feature.session_words":{en:"conversation: words",de:"Gespräch: Wörter"},"feature.linked_text":{en:"linked: text",de:"verknüpft: Text"},"feature.linked_words":{en:"linked: words",de:"verknüpft: Wörter"},"feature.speaker":{en:"speaker",de:"Sprecher"},"feature.question":{en:"is a question",de:"ist eine Frage"},"feature.length":{en:"length",de:"Länge"},"feature.time_asked":{en:"tells a time, as asked",de:"nennt eine Zeit, wie gefragt"},"feature.time_unasked":{en:"tells a time",de:"nennt eine Zeit"},"feature.number_asked":{en:"tells a number, as asked",de:"nennt eine Zahl, wie gefragt"},"feature.date":{en:"date",de:"Datum"},"feature.entities":{en:"names",de:"Namen"},"feature.recency":{en:"recency",de:"Aktualität"},"feature.importance":{en:"importance",de:"Wichtigkeit"},"feature.uses":{en:"times cited",de:"Zitate"}};var mt={en:"English",de:"Deutsch"},Jn="react-mem-language";function bo(){let e=localStorage.getItem(Jn);return e in mt?e:navigator.languages.map(t=>t.slice(0,2)).find(t=>t in mt)??"en"}var U=E(bo());function Zn(e){localStorage.setItem(Jn,e),U.value=e}function a(e,t={}){let n=Kt[e]?.[U.value];return n===void 0?e:(typeof n=="string"?n:n[new Intl.PluralRules(U.value).select(t.n)]??n.other).replace(/\{(\w+)\}/g,(s,o)=>o in t?yo(t[o]):s)}function yo(e){return typeof e=="number"?e.toLocaleString(U.value):String(e)}function J(e,t=!1){let n=Math.abs(e).toLocaleString(U.value,{minimumFractionDigits:2,maximumFractionDigits:2});return(e<0&&Number(e.toFixed(2))!==0?"−":t?"+":"")+n}var x=(e,t,n={})=>Kt[`${e}.${t}`]?a(`${e}.${t}`,n):t;var Qn=["turn","semantic","procedural","reflective","topic"],Xn=["active","superseded","quarantined","undone"];function V({tone:e="",children:t}){return l`<span class=${`badge ${e}`}>${t}</span>`}var Z=({kind:e})=>l`<${V} tone=${`kind-${e}`}>${x("kind",e)}<//>`,wo={active:"good",succeeded:"good",running:"warm",pending:"warm",quarantined:"warm",failed:"bad"},re=({status:e})=>l`<${V} tone=${wo[e]??""}>${x("status",e)}<//>`;function pt(e){return Object.entries(e??{}).map(([n,r])=>({name:n,value:Number(r)})).filter(n=>Math.abs(n.value)>=.005).sort((n,r)=>Math.abs(r.value)-Math.abs(n.value))}function Ce({why:e,most:t,limit:n=20}){let r=pt(e).slice(0,n),s=t??Math.max(.01,...r.map(o=>Math.abs(o.value)));return l`<ul class="bars">
    ${r.map(({name:o,value:i})=>{let c=Math.min(1,Math.abs(i)/s)*50,d=i<0?{left:`${50-c}%`,width:`${c}%`}:{left:"50%",width:`${c}%`};return l`<li>
        <span class="bar-name">${x("feature",o)}</span>
        <span class="bar-track" aria-hidden="true"><span class=${i<0?"bar minus":"bar"} style=${d}></span></span>
        <span class="bar-value">${J(i,!0)}</span>
      </li>`})}
  </ul>`}function ie({title:e,close:t,wide:n=!1,children:r}){let s=z(null);return P(()=>(s.current.showModal(),()=>s.current?.close()),[]),l`<dialog ref=${s} class=${n?"dialog dialog-wide":"dialog"} aria-labelledby="dialog-title" onClose=${t}>
    <h2 id="dialog-title">${e}</h2>
    ${r}
  </dialog>`}function Q({title:e,children:t,label:n,typed:r="",act:s,done:o,close:i}){let[c,d]=$({busy:!1,error:""}),[m,u]=$("");return l`<${ie} title=${e} close=${i}>
    <form onSubmit=${async h=>{h.preventDefault(),d({busy:!0,error:""});try{let p=await s();i(),o?.(p)}catch(p){d({busy:!1,error:p.message||a("state.unreachable")})}}}>
      ${t}
      ${r&&l`<label class="field">
        <span>${a("confirm.type",{word:r})}</span>
        <input value=${m} onInput=${h=>u(h.target.value)} autocomplete="off" />
      </label>`}
      ${c.error&&l`<p class="error" role="alert">${c.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${i}>${a("action.cancel")}</button>
        <button type="submit" class="button danger" disabled=${c.busy||r&&m!==r}>${n}</button>
      </div>
    </form>
  <//>`}var ht=E(null),ko=6e3;function C(e,t){let n={text:e,action:t};ht.value=n,setTimeout(()=>Yn(n),ko)}var Yn=e=>{ht.value===e&&(ht.value=null)};function er(){let e=ht.value;return l`<div class="notices" role="status">
    ${e&&l`<div class="notice">
      <span>${e.text}</span>
      ${e.action&&l`<button
        type="button"
        class="button quiet"
        onClick=${()=>{Yn(e),e.action.act()}}
      >
        ${e.action.label}
      </button>`}
    </div>`}
  </div>`}var xo={ask:"M4 5h16v11H9l-5 4z",memories:"M5 4h11l3 3v13H5zM9 11h6M9 15h6",recall:"M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 21 21M8 10.5h5M10.5 8v5",conversations:"M4 5h12v8H8l-4 3zM9 16h7l4 3v-9h-2",rules:"M5 6h14M5 12h14M5 18h9M3 6h0M3 12h0M3 18h0",jobs:"M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",learning:"M4 19V5M4 19h16M7 15l4-5 3 3 5-7",erasures:"M6 7h12M9 7V4h6v3M8 7l1 13h6l1-13",graph:"M6 8a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM18 12a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM9 20a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM8 7l8 2.5M7 8l1.5 8M16.5 11.5 11 17",settings:"M4 7h10M18 7h2M4 17h2M10 17h10M16 9V5M8 19v-4",health:"M3 12h4l2-6 4 12 2-6h6",menu:"M4 7h16M4 12h16M4 17h16",send:"M5 12h13M12 6l6 6-6 6",up:"M7 21V10l4-7c2 0 2.5 1.5 2 3.5L12.500 10H19l-1.500 11zM7 10H4v11h3",down:"M17 3v11l-4 7c-2 0-2.500-1.500-2-3.500L11.500 14H5L6.500 3zM17 14h3V3h-3",close:"M6 6l12 12M18 6 6 18"},ae=({name:e})=>l`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${xo[e]??""} /></svg>`;function j({title:e,lead:t,actions:n,wide:r=!1,children:s}){return l`<div class=${r?"page page-wide":"page"}>
    <header class="page-head">
      <div>
        <h1 tabindex="-1">${e}</h1>
        ${t&&l`<p class="lead">${t}</p>`}
      </div>
      ${n&&l`<div class="actions">${n}</div>`}
    </header>
    ${s}
  </div>`}function ee({lines:e=4}){let t=[92,78,85,64,88,71];return l`<div class="loading" role="status">
    <span class="unseen">${a("state.loading")}</span>
    ${Array.from({length:e},(n,r)=>l`<span class="skeleton" style=${{width:`${t[r%6]}%`}}></span>`)}
  </div>`}function M({title:e,text:t,command:n,children:r}){return l`<div class="empty">
    <${So} />
    <h2>${e}</h2>
    ${t&&l`<p>${t}</p>`} ${n&&l`<p><code>${n}</code></p>`} ${r}
  </div>`}function So(){return l`<svg viewBox="0 0 48 32" width="72" height="48" aria-hidden="true" class="mark">
    <path d="M8 24V14a8 8 0 0 1 16 0v10M24 14a8 8 0 0 1 16 0v10" />
    <circle cx="8" cy="24" r="4" /><circle cx="24" cy="24" r="4" /><circle cx="40" cy="24" r="4" />
  </svg>`}function le({error:e,retry:t}){let n=e.status===0||!e.message?a("state.unreachable"):e.message;return l`<div class="failure" role="alert">
    <div>
      <strong>${a("state.failed")}</strong>
      <p>${n}</p>
    </div>
    ${t&&l`<button type="button" class="button" onClick=${t}>${a("action.retry")}</button>`}
  </div>`}var tr="urn:trustgraph:memory:recalled",nr="urn:trustgraph:memory:cited";function rr(e){return E({question:e,at:new Date().toISOString(),thoughts:[],answer:"",recalled:null,cited:null,jobs:[],error:"",ended:!1,open:""})}function or(e,t){let n={...e},r=t.message_type,s=t.content??"";if(r==="explain")for(let[o,i]of Eo(t))o===tr&&(n.recalled=i),o===nr&&(n.cited=i);else if(r==="answer")n.answer+=s,t.end_of_message&&!t.end_of_dialog&&(n.answer="");else if(r==="thought"||r==="observation"||r==="action"){let o=e.open===r,i=o?e.thoughts.at(-1):{kind:r,text:""};n.thoughts=[...o?e.thoughts.slice(0,-1):e.thoughts,{kind:r,text:i.text+s}]}return r!=="explain"&&(n.open=t.end_of_message?"":r),t.end_of_dialog&&(n.ended=!0,n.tokens=(t.in_token??0)+(t.out_token??0),n.model=t.model??""),n}function Eo(e){let t=[];for(let{p:n,o:r}of e.explain_triples??[])if(!(n?.i!==tr&&n?.i!==nr))try{t.push([n.i,JSON.parse(r.v)])}catch{continue}return t}function sr(e,t){let n=e.recalled?.memories??[];if(!n.some(s=>s.id===t))return e;let r=n.map(s=>s.id===t?{...s,content:"",why:{},erased:!0}:s);return{...e,recalled:{...e.recalled,memories:r}}}function ir(e,t){let n=t.kind.slice(4),r={id:t.job_id,kind:t.job_kind,status:n,error:t.error??""},s=e.jobs.some(o=>o.id===r.id);return{...e,jobs:s?e.jobs.map(o=>o.id===r.id?r:o):[...e.jobs,r]}}var Jt="/ui/",ft=E(location.pathname+location.search);function To(e){try{return decodeURIComponent(e)}catch{return e}}var H=Te(()=>{let[e,t=""]=ft.value.split("?"),[n="",...r]=e.slice(Jt.length).split("/").filter(Boolean).map(To);return{pane:n,rest:r,query:new URLSearchParams(t)}});function b(e,t={}){let n=Object.entries(t).filter(([,s])=>s),r=n.length?`?${new URLSearchParams(n)}`:"";return Jt+e.map(encodeURIComponent).join("/")+r}function B(e,{replace:t=!1}={}){e!==ft.value&&(history[t?"replaceState":"pushState"](null,"",e),ft.value=e)}addEventListener("popstate",()=>{ft.value=location.pathname+location.search});addEventListener("click",e=>{let t=e.target instanceof Element?e.target.closest("a[href]"):null,n=e.button===0&&!e.metaKey&&!e.ctrlKey&&!e.shiftKey&&!e.altKey;!t||!n||t.target||t.origin!==location.origin||!t.pathname.startsWith(Jt)||t.pathname.includes(".")||t.hash||(e.preventDefault(),B(t.pathname+t.search))});var Mo=[["year",31536e3],["month",2592e3],["week",604800],["day",86400],["hour",3600],["minute",60]],Ao=()=>navigator.languages.find(e=>e.slice(0,2)===U.value)??U.value;function ar(e,t=Date.now(),n=U.value){let r=(new Date(e)-t)/1e3,s=new Intl.RelativeTimeFormat(n,{numeric:"auto"});for(let[o,i]of Mo)if(Math.abs(r)>=i)return s.format(Math.trunc(r/i),o);return s.format(0,"second")}function ke(e,t=Ao()){return new Date(e).toLocaleString(t,{dateStyle:"medium",timeStyle:"short"})}function T({at:e,both:t=!1}){if(!e||Number.isNaN(new Date(e).getTime()))return null;let n=ke(e);return l`<time datetime=${e} title=${n}>${t?`${n} (${ar(e)})`:ar(e)}</time>`}var te=E([]),Zt=E(lr());function lr(){return`ui-${crypto.randomUUID()}`}we(["job."],e=>{let t=te.value.at(-1);t&&e.kind!=="lost"&&(t.value=ir(t.value,e))});function cr(){te.value=[],Zt.value=lr()}we(["memory.forgotten"],e=>{if(e.kind!=="lost"){(e.all||e.record_id===Zt.value)&&cr();for(let t of te.value)t.value=sr(t.value,e.record_id)}});async function Co(e){let t=rr(e);te.value=[...te.value,t];let n={question:e,streaming:!0,conversation_id:Zt.value};try{await Kn(n,r=>{t.value=or(t.value,r)})}catch(r){t.value={...t.value,ended:!0,error:r.message==="lost"?a("ask.lost"):r.message}}}function dr(){let e=te.value.length>0&&l`<button type="button" class="button" onClick=${cr}>${a("ask.new")}</button>`;return l`<${j} title=${a("pane.ask")} lead=${a("ask.lead")} actions=${e}>
    ${te.value.length===0&&l`<${M} title=${a("ask.empty")} text=${a("ask.empty_text")} />`}
    <ol class="turns">
      ${te.value.map((t,n)=>l`<${No} key=${t} turn=${t} last=${n===te.value.length-1} />`)}
    </ol>
    <${Do} busy=${te.value.length>0&&!te.value.at(-1).value.ended} />
  <//>`}function Do({busy:e}){let[t,n]=$(""),r=z(null),s=i=>{i.preventDefault();let c=t.trim();!c||e||(n(""),Co(c),r.current?.focus())},o=i=>{i.key==="Enter"&&!i.shiftKey&&!i.isComposing&&s(i)};return l`<form class="composer" onSubmit=${s}>
    <label class="unseen" for="question">${a("ask.question")}</label>
    <textarea
      id="question"
      ref=${r}
      rows="2"
      placeholder=${a("ask.placeholder")}
      value=${t}
      onInput=${i=>n(i.target.value)}
      onKeyDown=${o}
    ></textarea>
    <button type="submit" class="button primary" disabled=${e||!t.trim()}><${ae} name="send" />${a("ask.send")}</button>
  </form>`}function No({turn:e,last:t}){let{question:n,at:r,recalled:s,cited:o,answer:i,error:c,ended:d,thoughts:m,jobs:u}=e.value,f=z(null);P(()=>{t&&f.current?.scrollIntoView({block:"end"})},[t,d]);let h=s?.memories??[],p=o?.indices??[];return l`<li class="turn" ref=${f}>
    <div class="said"><p>${n}</p><${T} at=${r} /></div>
    <div class="card reply">
      <${jo} text=${i} ended=${d} />
      ${i?l`<p class="answer">${i}${d&&p.map(g=>l`<${Oo} index=${g} memory=${h[g]} />`)}</p>`:!d&&l`<p class="thinking">${s?a("ask.answering"):a("ask.recalling")}</p>`}
      ${c&&l`<p class="error" role="alert">${c}</p>`}
      ${d&&!c&&l`<${Ro} turn=${e.value} />`}
      ${s&&l`<${Lo} question=${n} recalled=${s} cited=${p} last=${t} />`}
      ${m.length>0&&l`<${qo} thoughts=${m} />`}
      ${u.length>0&&l`<${Wo} jobs=${u} />`}
    </div>
  </li>`}function jo({text:e,ended:t}){let n=t?e:e.slice(0,Math.max(e.lastIndexOf(". "),e.lastIndexOf(`
`))+1);return l`<div class="unseen" aria-live="polite">${n}</div>`}function Oo({index:e,memory:t}){return!t||t.erased?null:l`<a class="cite" href=${b(["memories",t.id])} title=${t.content}>${e+1}</a>`}function Ro({turn:e}){let[t,n]=$(0),r=e.cited?.ids??[],s=async i=>{try{await Promise.all(r.map(c=>G(`/v1/memories/${c}/feedback`,{rating:i}))),n(i),C(a("ask.rated",{n:r.length}))}catch(c){C(c.message||a("state.unreachable"))}},o=r.length?a("ask.rests",{n:r.length}):a("ask.rests_on_none");return l`<div class="verdict">
    <span>${o}</span>
    ${r.length>0&&l`<span class="thumbs">
      <button type="button" class="button quiet" aria-pressed=${t===1} onClick=${()=>s(1)}>
        <${ae} name="up" /><span class="unseen">${a("ask.useful")}</span>
      </button>
      <button type="button" class="button quiet" aria-pressed=${t===-1} onClick=${()=>s(-1)}>
        <${ae} name="down" /><span class="unseen">${a("ask.useless")}</span>
      </button>
    </span>`}
  </div>`}function Lo({question:e,recalled:t,cited:n,last:r}){let s=t.memories??[],o=Math.max(.01,...s.flatMap(c=>Object.values(c.why??{}).map(d=>Math.abs(Number(d))))),i=t.missing??[];if(!s.length){let c=t.gate?a("ask.gate",{reason:t.gate}):a("ask.nothing_recalled");return l`<p class="quiet-line">${c}</p>`}return l`<details class="recalled" open=${r||void 0}>
    <summary>${a("ask.recalled",{n:s.length})}</summary>
    ${i.map(c=>l`<p class="warning">${a("ask.missing",{part:c.part,reason:c.reason})}</p>`)}
    <ol>
      ${s.map((c,d)=>l`<li class=${n.includes(d)?"memory cited":"memory"}>
          <span class="number">${d+1}</span>
          <div>
            ${c.erased?l`<p class="quiet-line">${a("ask.erased")}</p>`:l`<p class="clipped"><a href=${b(["memories",c.id])}>${c.content}</a></p>`}
            <p class="meta">
              <${Z} kind=${c.kind} />
              ${c.speaker&&l`<span>${c.speaker}</span>`} <${T} at=${c.said_at} />
              ${c.until&&l`<span>${c.until}</span>`}
              <span>${a("ask.score",{score:J(c.score)})}</span>
              ${c.rank_before>=0&&c.rank_before!==d&&l`<span>${a("ask.rank_before",{rank:c.rank_before+1})}</span>`}
              ${n.includes(d)&&l`<strong>${a("ask.cited")}</strong>`}
            </p>
            <${Ce} why=${c.why} most=${o} limit=${4} />
          </div>
        </li>`)}
    </ol>
    <p class="quiet-line"><a href=${b(["recall"],{q:e})}>${a("ask.debug")}</a></p>
  </details>`}var qo=({thoughts:e})=>l`<details class="thoughts">
  <summary>${a("ask.thoughts",{n:e.length})}</summary>
  ${e.map(t=>l`<p class=${t.kind}><strong>${x("step",t.kind)}</strong> ${t.text}</p>`)}
</details>`,Wo=({jobs:e})=>l`<ul class="jobs-line" aria-label=${a("ask.jobs")}>
  ${e.map(t=>l`<li title=${t.error||void 0}>${x("job",t.kind)} <${re} status=${t.status} /></li>`)}
</ul>`;var Io=250;function A(e,t=[],n=[]){let[r,s]=$({data:void 0,error:null,loading:!0}),o=z(null),i=An(()=>{o.current?.abort();let c=o.current=new AbortController;s(d=>({...d,loading:!0})),e(c.signal).then(d=>c.signal.aborted||s({data:d,error:null,loading:!1}),d=>{if(c.signal.aborted)return;let m=d.status===404;s(({data:u})=>({data:m?void 0:u,error:d,loading:!1}))})},t);return P(()=>(i(),()=>o.current?.abort()),[i]),P(()=>{if(!n.length)return;let c=0,d=we(n,()=>{clearTimeout(c),c=setTimeout(i,Io)});return()=>{clearTimeout(c),d()}},[i,n.join()]),{...r,again:i}}function q({loaded:e,children:t}){let{data:n,error:r,again:s}=e;return l`${r&&l`<${le} error=${r} retry=${s} />`}${n!==void 0?t(n):!r&&l`<${ee} />`}`}function gt({label:e,columns:t,rows:n}){return l`<div class="table-wrap" tabindex="0" role="region" aria-label=${e}>
    <table class="table">
      <thead>
        <tr>${t.map(r=>l`<th scope="col">${r}</th>`)}</tr>
      </thead>
      <tbody>
        ${n.map(r=>l`<tr>${r.map(s=>l`<td>${s}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`}function Qt({shown:e,next:t,more:n}){return t?l`<p class="more"><span>${a("list.shown",{n:e})}</span> <button type="button" class="button" onClick=${n}>${a("list.more")}</button></p>`:null}var ur=50,Po=200,xe=1e3;function mr(){let{query:e}=H.value;if(e.get("id"))return l`<${Fo} id=${e.get("id")} />`;let t=e.get("show")==="episodes";return l`<${j} title=${a("pane.conversations")} lead=${a("conversations.lead")}>
    <nav class="tabs" aria-label=${a("conversations.views")}>
      <a href=${b(["conversations"])} aria-current=${t?void 0:"page"}>${a("conversations.list")}</a>
      <a href=${b(["conversations"],{show:"episodes"})} aria-current=${t?"page":void 0}>${a("conversations.episodes")}</a>
    </nav>
    ${t?l`<${Bo} />`:l`<${zo} />`}
  <//>`}function zo(){let[e,t]=$(ur),n=A(r=>k("/v1/conversations",{limit:e},{signal:r}),[e],["job."]);return l`<${q} loaded=${n}>
    ${({results:r,next:s})=>l`
      ${!r.length&&l`<${M} title=${a("conversations.empty")} text=${a("conversations.empty_text")} command="react-mem chat" />`}
      <ol class="entries">
        ${r.map(o=>l`<${Go} key=${o.id} conversation=${o} />`)}
      </ol>
      <${Qt} shown=${r.length} next=${e<xe&&s} more=${()=>t(Math.min(xe,e*4))} />
    `}
  <//>`}function Go({conversation:{id:e,ended:t,metadata:n}}){let{data:r,error:s}=A(o=>k(`/v1/conversations/${encodeURIComponent(e)}`,{limit:1},{signal:o}),[e,n.last_at]);return l`<li class="card entry">
    <a class="entry-title clipped" href=${b(["conversations"],{id:e})}>${r||s?r?.exchanges?.at(-1)?.query||e:"…"}</a>
    <p class="meta">
      <${pr} ended=${t} />
      <span>${a("conversations.exchanges",{n:Number(n.turns??0)})}</span>
      <${T} at=${n.last_at} both />
    </p>
  </li>`}var pr=({ended:e})=>l`<${V} tone=${e?"":"good"}>${a(e?"conversations.ended":"conversations.open")}<//>`;function Fo({id:e}){let t=`/v1/conversations/${encodeURIComponent(e)}`,r=A(f=>Promise.all([k(t,{limit:Po},{signal:f}),k("/v1/memories",{conversation_id:e,limit:xe},{signal:f})]).then(([h,p])=>({conversation:h,memories:p.results})),[e],["job.","memory."]),[s,o]=$(""),i=()=>B(b(["conversations"])),c={end:()=>C(a("conversations.now_ended")),forget:d};function d({operation_id:f}){i(),C(a("conversations.forgotten"),{label:a("receipt.show"),act:()=>B(b(["erasures"],{id:f}))})}let{data:m}=r,u=m&&l`
    ${!m.conversation.ended&&l`<button type="button" class="button" onClick=${()=>o("end")}>${a("conversations.end")}</button>`}
    <button type="button" class="button danger" onClick=${()=>o("forget")}>${a("conversations.forget")}</button>
  `;return l`<${j} title=${a("conversations.one")} lead=${e} actions=${u}>
    <p><a href=${b(["conversations"])}>${a("conversations.back")}</a></p>
    <${q} loaded=${r}>
      ${({conversation:f,memories:h})=>l`
        <p class="meta">
          <${pr} ended=${f.ended} /> <${T} at=${f.metadata.started_at} both />
          <span>${a("conversations.learned",{n:h.length})}</span>
        </p>
        <ol class="timeline">
          ${(f.exchanges??[]).map(p=>l`<li key=${p.id}>
              <${T} at=${p.at} both />
              <p class="asked">${p.query}</p>
              <p class="answered">${p.result}</p>
            </li>`)}
        </ol>
        ${h.length>0&&l`<${Uo} memories=${h} />`}
        ${s==="end"&&l`<${Q}
          title=${a("conversations.end")}
          label=${a("conversations.end")}
          act=${()=>G(`${t}/end`)}
          done=${c.end}
          close=${()=>o("")}
        ><p>${a("conversations.end_text")}</p><//>`}
        ${s==="forget"&&l`<${Q}
          title=${a("conversations.forget")}
          label=${a("action.forget")}
          act=${()=>Y(t)}
          done=${c.forget}
          close=${()=>o("")}
        ><p>${a("conversations.forget_text",{exchanges:Number(f.metadata.turns??0),memories:h.length===xe?a("list.or_more",{n:xe}):h.length})}</p><//>`}
      `}
    <//>
  <//>`}var Uo=({memories:e})=>l`<section>
  <h2>${a("conversations.memories")}</h2>
  <ul class="entries">
    ${e.slice(0,100).map(t=>l`<li key=${t.id} class="entry"><p><a href=${b(["memories",t.id])}>${t.memory}</a> <${Z} kind=${t.kind} /></p></li>`)}
  </ul>
</section>`;function Bo(){let[e,t]=$(ur),[n,r]=$(null),s=A(o=>k("/v1/episodes",{limit:e},{signal:o}),[e],["memory.","job."]);return l`<${q} loaded=${s}>
    ${({results:o,next:i})=>l`
      ${!o.length&&l`<${M} title=${a("episodes.empty")} text=${a("episodes.empty_text")} />`}
      <ol class="entries">
        ${o.map(c=>l`<${Ho} key=${c.id} episode=${c} forget=${()=>r(c)} />`)}
      </ol>
      <${Qt} shown=${o.length} next=${e<xe&&i} more=${()=>t(Math.min(xe,e*4))} />
      ${n&&l`<${Q}
        title=${a("episodes.forget")}
        label=${a("action.forget")}
        act=${()=>Y(`/v1/episodes/${encodeURIComponent(n.id)}`)}
        done=${()=>C(a("episodes.forgotten"))}
        close=${()=>{r(null),s.again()}}
      ><p>${a("episodes.forget_text")}</p><p><strong>${n.goal}</strong></p><//>`}
    `}
  <//>`}function Ho({episode:e,forget:t}){return l`<li class="card entry">
    <h2>${e.goal}</h2>
    <p class="meta">
      <${V} tone=${e.succeeded?"good":"bad"}>${a(e.succeeded?"episodes.succeeded":"episodes.failed")}<//>
      <${T} at=${e.created_at} both />
      ${e.run_id&&l`<a href=${b(["conversations"],{id:e.run_id})}>${a("episodes.conversation")}</a>`}
    </p>
    ${e.outcome&&l`<p>${e.outcome}</p>`}
    ${e.lessons&&l`<p><strong>${a("episodes.lessons")}</strong> ${e.lessons}</p>`}
    ${e.steps.length>0&&l`<details><summary>${a("episodes.steps",{n:e.steps.length})}</summary>
      <ol class="steps">${e.steps.map(n=>l`<li>${n}</li>`)}</ol></details>`}
    <div class="actions"><button type="button" class="button quiet" onClick=${t}>${a("action.forget")}</button></div>
  </li>`}function hr(e){let t={};for(let[n,r]of e.flatMap(s=>Object.entries(s?.places??{}))){let s=t[n]??={found:0,removed:0,left:0};for(let o of Object.keys(s))s[o]+=Number(r[o]??0)}return e.every(n=>n?.places)?{places:t,complete:e.every(n=>n.complete)}:null}function $t({receipt:e}){let t=Object.entries(e?.places??{}).filter(([,n])=>n.found||n.left);return e?.places?l`<p class=${e.complete?"":"error"}>${e.complete?a("receipt.complete"):a("receipt.incomplete")}</p>
    ${t.length>0&&l`<table class="table">
      <thead>
        <tr>
          <th scope="col">${a("receipt.place")}</th>
          <th scope="col" class="number">${a("receipt.found")}</th>
          <th scope="col" class="number">${a("receipt.removed")}</th>
          <th scope="col" class="number">${a("receipt.left")}</th>
        </tr>
      </thead>
      <tbody>
        ${t.map(([n,r])=>l`<tr>
            <th scope="row">${x("place",n)}</th>
            <td class="number">${r.found}</td>
            <td class="number">${r.removed}</td>
            <td class="number">${r.left}</td>
          </tr>`)}
      </tbody>
    </table>`}`:l`<p>${a("receipt.running")}</p>`}var fr=200,_t=E([]);function gr(){let e=H.value.query.get("id"),t=A(n=>Vo(e,n),[e],["job.","memory.forgotten"]);return l`<${j} title=${a("pane.erasures")} lead=${a("erasures.lead")}>
    <${Ko} />
    <${Jo} done=${t.again} />
    <section>
      <h2>${a("erasures.receipts")}</h2>
      <${q} loaded=${t}>
        ${n=>{let r=new Set(n.map(o=>o.operation_id)),s=[..._t.value.filter(o=>!r.has(o.operation_id)),...n];return s.length?l`<ul class="entries">${s.map(o=>l`<${Qo} key=${o.operation_id} entry=${o} open=${o.operation_id===e} />`)}</ul>`:l`<${M} title=${a("erasures.empty")} text=${a("erasures.empty_text")} />`}}
      <//>
    </section>
  <//>`}async function Vo(e,t){let[n,r]=await Promise.all([k("/v1/receipts",{limit:fr},{signal:t}),k("/v1/operations",{kind:"forget",limit:fr},{signal:t})]),s=new Map(r.results.map(c=>[c.id,c.updated_at])),o=n.results.map(c=>({...c,at:s.get(c.operation_id)}));if(!e||[...o,..._t.value].some(c=>c.operation_id===e))return o;let i=await k(`/v1/receipts/${encodeURIComponent(e)}`,{},{signal:t}).catch(c=>{if(c.status===404)return null;throw c});return i?[i,...o]:o}function Ko(){let e=A(s=>k("/v1/switches",{},{signal:s})),[t,n]=$(null),r=async(s,o)=>{try{n(await dt("/v1/switches",{[s]:o})),C(a(`erasures.${s}_${o?"on":"off"}`))}catch(i){C(i.message||a("state.unreachable")),e.again()}};return l`<section class="card entry">
    <h2>${a("erasures.switches")}</h2>
    <${q} loaded=${e}>
      ${s=>["read","write"].map(o=>l`<label class="switch">
          <input type="checkbox" role="switch" checked=${(t??s)[o]==="on"} onChange=${i=>r(o,i.target.checked)} />
          <span><strong>${a(`erasures.${o}`)}</strong><br /><span class="quiet-line">${a(`erasures.${o}_text`)}</span></span>
        </label>`)}
    <//>
  </section>`}function Jo({done:e}){let{user:t,collections:n}=N.value,[r,s]=$(null),o=async(d,m)=>{try{s({level:d,name:m,counts:d==="collection"?await Zo(m):[]})}catch(u){C(u.message||a("state.unreachable"))}},i=d=>{d.receipt?.places&&(_t.value=[{...d,at:new Date().toISOString()},..._t.value]),C(a("erasures.done")),e()},c=n[0]??"default";return l`<section class="card entry">
    <h2>${a("erasures.all")}</h2>
    <p class="quiet-line">${a("erasures.all_text")}</p>
    <div class="actions">
      <button type="button" class="button danger" onClick=${()=>o("collection",c)}>${a("erasures.collection",{name:c})}</button>
      ${!n.length&&l`<button type="button" class="button danger" onClick=${()=>o("user",t)}>${a("erasures.user",{name:t})}</button>`}
    </div>
    ${r&&l`<${Q}
      title=${a(`erasures.${r.level}`,{name:r.name})}
      label=${a("action.forget")}
      typed=${r.name}
      act=${()=>Y("/v1/memories",r.level==="collection"?{collection:r.name}:{user_id:r.name})}
      done=${i}
      close=${()=>s(null)}
    >
      <p>${a("erasures.for_good")}</p>
      <ul class="tiles">${r.counts.map(([d,m])=>l`<li><strong>${m}</strong> ${d}</li>`)}</ul>
    <//>`}
  </section>`}async function Zo(e){let{memories:t,episodes:n,conversations:r}=await k("/v1/stats",{collection:e});return[...Object.entries(t).filter(([o,i])=>!["vectors","embedding"].includes(o)&&Number(i)).map(([o,i])=>[x("kind",o),i]),[a("erasures.episodes"),n.episodes??0],[a("erasures.conversations"),r.conversations??0]]}function Qo({entry:e,open:t}){let{operation_id:n,receipt:r,at:s}=e,o=d=>Object.values(r.places??{}).reduce((m,u)=>m+Number(u[d]??0),0),i=r.complete??!o("left"),c=`data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify({operation_id:n,at:s,receipt:r},null,1))}`;return l`<li class="card entry">
    <p class="meta">
      <strong>${x("level",r.level)}</strong>
      <${V} tone=${i?"good":"warm"}>${a(i?"erasures.complete":"erasures.incomplete")}<//>
      <span>${a("erasures.removed",{n:o("removed")})}</span>
      <${T} at=${s} both />
    </p>
    <details class="places" open=${t||void 0}>
      <summary>${a("erasures.places")}</summary>
      <${$t} receipt=${r} />
      ${r.files&&l`<p class="quiet-line">${x("files",r.files.state)}</p>`}
      ${(r.notes??[]).map(d=>l`<p class="quiet-line sentence">${d}</p>`)}
      <p class="quiet-line"><code>${n}</code> <a href=${c} download=${`receipt-${n}.json`}>${a("receipt.save")}</a></p>
    </details>
  </li>`}var Xo=300,ne=640,Yo=24,De=["replaced by","derived from","about the same","similar","said in"];function _r(){let e=H.value.query.get("id");return l`<${j} title=${a("pane.graph")} lead=${a("graph.lead")} wide>
    <${es} />
    ${e?l`<${ts} key=${e} id=${e} />`:l`<${M} title=${a("graph.empty")} text=${a("graph.empty_text")} />`}
  <//>`}function es(){let[e,t]=$(""),[n,r]=$(null),s=async i=>{i.preventDefault(),e.trim()&&r(await G("/v1/memories/search",{query:e,limit:8}).catch(c=>({error:c.message||a("state.unreachable")})))},o=i=>{r(null),B(b(["graph"],{id:i.id}))};return l`<form class="search" role="search" onSubmit=${s}>
    <label class="field"><span>${a("graph.search")}</span>
      <input type="search" value=${e} onInput=${i=>t(i.target.value)} /></label>
    <button type="submit" class="button">${a("graph.find")}</button>
    ${n?.error&&l`<p class="error" role="alert">${n.error}</p>`}
    ${n?.results&&l`<ul class="entries found" aria-label=${a("graph.results")}>
      ${!n.results.length&&l`<li>${a("graph.none")}</li>`}
      ${n.results.map(i=>l`<li key=${i.id}><button type="button" class="button quiet" onClick=${()=>o(i)}>${i.memory}</button></li>`)}
    </ul>`}
  </form>`}function ts({id:e}){let t=A(n=>k(`/v1/memories/${encodeURIComponent(e)}/neighbours`,{limit:Xo},{signal:n}),[e],["memory."]);return l`<${q} loaded=${t}>
    ${n=>l`<div class="graph">
      <${rs} graph=${n} />
      <${os} graph=${n} />
    </div>
    ${n.left_out>0&&l`<p class="warning">${a("graph.left_out",{n:n.left_out})}</p>`}`}
  <//>`}function vr({memories:e,conversation_id:t,connections:n}){let r=e[0].id,s=new Map;for(let i of n){let c=i.source===r?i.target:i.source,d=De.indexOf(i.relation);c!==r&&!(De.indexOf(s.get(c)?.relation)<=d&&s.has(c))&&s.set(c,i)}let o=new Map(e.map(i=>[i.id,i]));return t&&s.delete(t),De.map(i=>({name:i,entries:[...s].filter(([,c])=>c.relation===i).map(([c,d])=>({memory:o.get(c),connection:d}))})).filter(i=>i.entries.length)}function ns(e){let t=e.reduce((s,o)=>s+o,0),n=Math.max(1,Math.ceil(t/Yo)),r=0;return e.map(s=>Array.from({length:s},()=>{let o=r%n,i=2*Math.PI*r/Math.max(1,t)-Math.PI/2,c=(ne/2-24)*(n===1?.72:.42+.56*o/(n-1));return r+=1,{x:ne/2+c*Math.cos(i),y:ne/2+c*Math.sin(i)}}))}function rs({graph:e}){let t=vr(e),n=ns(t.map(s=>s.entries.length)),r=e.memories.length<=40;return l`<svg class="card picture" viewBox=${`0 0 ${ne} ${ne}`} role="img" aria-label=${a("graph.picture",{n:e.memories.length-1})}>
    ${t.map(({name:s},o)=>n[o].map(({x:i,y:c})=>l`<line class=${`edge edge-${De.indexOf(s)}`} x1=${ne/2} y1=${ne/2} x2=${i} y2=${c} />`))}
    ${t.map(({name:s,entries:o},i)=>o.map(({memory:c},d)=>{let{x:m,y:u}=n[i][d];return l`<g class=${`node node-${De.indexOf(s)}`} onClick=${()=>B(b(["graph"],{id:c.id}))}>
          <circle cx=${m} cy=${u} r=${r?9:5} /><title>${c.memory}</title>
          ${r&&l`<text x=${m} y=${u+22} text-anchor="middle">${$r(c.memory,20)}</text>`}
        </g>`}))}
    <circle class="centre-node" cx=${ne/2} cy=${ne/2} r="13" />
    <text class="centre-label" x=${ne/2} y=${ne/2+30} text-anchor="middle">${$r(e.memories[0].memory,40)}</text>
  </svg>`}var $r=(e,t)=>[...e].length>t?`${[...e].slice(0,t-1).join("")}…`:e;function os({graph:e}){let[t]=e.memories;return l`<div class="graph-list">
    <h2 class="clipped">${t.memory}</h2>
    <p class="meta"><${Z} kind=${t.kind} /> <${re} status=${t.status} /> <a href=${b(["memories",t.id])}>${a("graph.open")}</a>
      ${e.conversation_id&&l`<a href=${b(["conversations"],{id:e.conversation_id})}>${a("graph.conversation")}</a>`}</p>
    ${e.memories.length===1&&l`<p class="quiet-line">${a("graph.alone")}</p>`}
    ${vr(e).map(({name:n,entries:r})=>l`<section>
        <h3><i class=${`key edge-key-${De.indexOf(n)}`} aria-hidden="true"></i>${x("relation",n.replaceAll(" ","_"))} (${r.length})</h3>
        <ul class="entries">
          ${r.map(({memory:s,connection:o})=>l`<li key=${s.id}><a href=${b(["graph"],{id:s.id})}>${s.memory}</a>
              ${o.label&&l`<span class="quiet-line"> (${o.label})</span>`}</li>`)}
        </ul>
      </section>`)}
  </div>`}var ss=["embedding"];async function is(e){return(await fetch("/health/ready",{signal:e})).json()}function br(){let e=A(n=>Promise.all([is(n),k("/version",{},{signal:n}),k("/v1/stats",{},{signal:n}),k("/v1/keys",{},{signal:n})]).then(([r,s,o,i])=>({ready:r,version:s,stats:o,keys:i.results}))),t=l`<button type="button" class="button" disabled=${e.loading} onClick=${e.again}>${a("health.again")}</button>`;return l`<${j} title=${a("pane.health")} lead=${a("health.lead")} actions=${t}>
    <${q} loaded=${e}>
      ${({ready:n,version:r,stats:s,keys:o})=>l`
        <section class="card entry">
          <h2>${a("health.parts")}</h2>
          <p role="status"><${V} tone=${n.status==="ready"?"good":"bad"}>${a(n.status==="ready"?"health.ready":"health.not_ready")}<//></p>
          <ul class="tiles">
            ${Object.entries(n.parts).map(([i,c])=>l`<li>${i} <${V} tone=${c==="ok"?"good":"bad"}>${c==="ok"?a("health.ok"):c}<//></li>`)}
          </ul>
        </section>
        <section class="card entry">
          <h2>${a("health.versions")}</h2>
          <dl class="facts">
            <div><dt>react-mem</dt><dd>${r.version}</dd></div>
            <div><dt>${a("health.embedding")}</dt><dd>${s.memories.embedding}</dd></div>
          </dl>
        </section>
        <section class="card entry">
          <h2>${a("health.stored")}</h2>
          ${!Number(s.memories.vectors)&&!Number(s.conversations.conversations)&&l`<p class="quiet-line">${a("health.nothing")}</p>`}
          <ul class="tiles">
            ${[s.memories,s.conversations].flatMap(i=>Object.entries(i).filter(([c,d])=>!ss.includes(c)&&Number(d)).map(([c,d])=>l`<li><strong>${d}</strong> ${x("stored",c,{n:Number(d)})}</li>`))}
          </ul>
        </section>
        <section class="card entry">
          <h2>${a("health.keys")}</h2>
          ${o.length===0?l`<p class="quiet-line">${a("health.no_keys")} <code>react-mem keys create</code></p>`:l`<${gt}
                label=${a("health.keys")}
                columns=${[a("health.key"),a("health.label"),a("health.reach"),a("health.made"),a("health.used"),a("health.state")]}
                rows=${o.map(i=>[l`<code>${i.id}</code>`,i.label,i.collections.join(", ")||a("shell.all_collections"),l`<${T} at=${i.created_at} />`,i.last_used_at?l`<${T} at=${i.last_used_at} />`:a("health.never"),l`<${V} tone=${i.revoked_at?"bad":"good"}>${a(i.revoked_at?"health.revoked":i.writes?"health.valid":"health.reads")}<//>`])}
              />`}
        </section>
      `}
    <//>
  <//>`}var as=200,yr=["running","pending","failed","succeeded","cancelled"];function wr(){let e=H.value.query.get("status")??"",n=A(i=>Promise.all([k("/v1/operations",{limit:as,status:e},{signal:i}),k("/v1/stats",{},{signal:i})]).then(([{results:c},{operations:d}])=>({jobs:c,stats:d})),[e],["job."]),[r,s]=$(null),o=async(i,c)=>{try{await G(`/v1/operations/${encodeURIComponent(i.id)}/${c}`),C(a(`jobs.${c}_done`))}catch(d){C(d.message||a("state.unreachable"))}n.again()};return l`<${j} title=${a("pane.jobs")} lead=${a("jobs.lead")}>
    <label class="field narrow"><span>${a("jobs.filter")}</span>
      <select value=${e} onChange=${i=>B(b(["jobs"],{status:i.target.value}))}>
        <option value="">${a("jobs.all")}</option>
        ${yr.map(i=>l`<option value=${i}>${x("status",i)}</option>`)}
      </select></label>
    <${q} loaded=${n}>
      ${({jobs:i,stats:c})=>l`
        <${ls} jobs=${i} stats=${c} />
        ${!i.length&&l`<${M} title=${a(e?"jobs.none":"jobs.empty")} text=${a("jobs.empty_text")} />`}
        <ul class="entries">
          ${i.map(d=>l`<li key=${d.id} class="card entry">
              <p class="meta"><strong>${x("job",d.kind)}</strong> <${re} status=${d.status} />
                ${d.attempt>1&&l`<span>${a("jobs.attempt",{n:d.attempt})}</span>`}
                <${T} at=${d.updated_at} both /></p>
              ${d.error&&l`<p class="error">${d.error}</p>`}
              ${d.summary&&l`<p class="quiet-line">${d.summary}</p>`}
              <p class="quiet-line"><code>${d.id}</code></p>
              <div class="actions">
                ${["failed","pending"].includes(d.status)&&l`<button type="button" class="button" onClick=${()=>o(d,"retry")}>${a("jobs.retry")}</button>`}
                ${["pending","running"].includes(d.status)&&l`<button type="button" class="button" onClick=${()=>o(d,"cancel")}>${a("jobs.cancel")}</button>`}
                ${["failed","pending"].includes(d.status)&&l`<button type="button" class="button quiet" onClick=${()=>s(d)}>${a("jobs.drop")}</button>`}
                ${d.kind==="forget"&&d.status==="succeeded"&&l`<a class="button" href=${b(["erasures"],{id:d.id})}>${a("receipt.show")}</a>`}
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    ${r&&l`<${Q}
      title=${a("jobs.drop")}
      label=${a("jobs.drop")}
      act=${()=>Y(`/v1/operations/${encodeURIComponent(r.id)}`)}
      done=${()=>C(a("jobs.dropped"))}
      close=${()=>{s(null),n.again()}}
    ><p>${a("jobs.drop_text",{kind:x("job",r.kind)})}</p><//>`}
  <//>`}function ls({jobs:e,stats:t}){let n=yr.map(r=>[r,e.filter(s=>s.status===r).length]).filter(([,r])=>r);return l`
    ${n.length>0&&l`<div class="share" aria-hidden="true">
      ${n.map(([r,s])=>l`<span class=${`share-${r}`} style=${{flexGrow:s}}></span>`)}
    </div>`}
    <ul class="tiles">
      ${n.map(([r,s])=>l`<li><strong>${s}</strong> ${x("status",r)}</li>`)}
    </ul>
    ${t.files&&l`<p class="quiet-line">${t.files}</p>`}
    ${t.former_embedding&&l`<p class="warning">${a("jobs.embedding",{scopes:t.scopes_to_embed,records:t.records_to_embed})}</p>`}
  `}var vt=640,Ue=170,Be=56,kr=30,cs=18,ds=20;function bt({title:e,curves:t,low:n,high:r,ends:s=["",""]}){let o=(m,u)=>Be+(vt-Be-4)*(u>1?m/(u-1):.5),i=m=>Ue-kr-(Math.min(r,Math.max(n,m))-n)/(r-n||1)*(Ue-kr-cs),c=m=>m.toLocaleString(U.value,{maximumFractionDigits:2}),d=t.filter(m=>m.values.length>0);return l`<figure class="chart card">
    <figcaption>
      <strong>${e}</strong>
      <span class="legend">
        ${d.map(({name:m,values:u},f)=>l`<span><i class=${`key key${f}`} aria-hidden="true"></i>${m}: ${c(u.at(-1))}</span>`)}
      </span>
    </figcaption>
    <svg viewBox=${`0 0 ${vt} ${Ue}`} aria-hidden="true">
      ${[n,(n+r)/2,r].map(m=>l`<line x1=${Be} x2=${vt} y1=${i(m)} y2=${i(m)} class="grid" />
          <text x=${Be-6} y=${i(m)+4} text-anchor="end">${c(m)}</text>`)}
      ${d.map(({values:m},u)=>m.length>1?l`<polyline class=${`curve curve${u}`} points=${m.map((f,h)=>`${o(h,m.length).toFixed(1)},${i(f).toFixed(1)}`).join(" ")} />`:l`<circle class=${`dot dot${u}`} cx=${o(0,1)} cy=${i(m[0])} r="4" />`)}
      <text x=${Be} y=${Ue-4}>${s[0]}</text>
      <text x=${vt-4} y=${Ue-4} text-anchor="end">${s[1]}</text>
    </svg>
    <details>
      <summary>${a("chart.table")}</summary>
      <${gt} label=${e} columns=${[a("chart.turn"),...d.map(m=>m.name)]} rows=${us(d,c)} />
    </details>
  </figure>`}function us(e,t){let n=Math.max(0,...e.map(s=>s.values.length)),r=Math.max(0,n-ds);return Array.from({length:n-r},(s,o)=>[r+o+1,...e.map(({values:i})=>i[r+o]===void 0?"":t(i[r+o]))])}var Sr=10,xr=5;function Xt(e,t){let n=t==="reward"||t==="citation_rate";return e.filter(r=>t in r&&!(n&&(r.malformed||r.absent))).map(r=>Number(r[t]))}function ms(e,t=Sr){return e.map((n,r)=>{let s=e.slice(Math.max(0,r-t+1),r+1);return s.reduce((o,i)=>o+i,0)/s.length})}function Er(){let e=A(t=>k("/v1/learn",{},{signal:t}),[],["job."]);return l`<${j} title=${a("pane.learning")} lead=${a("learning.lead")}>
    <${q} loaded=${e}>${({status:t})=>l`<${hs} rows=${t.rows??[]} policy=${t.policy??{}} />`}<//>
  <//>`}function ps({won:e=0,lost:t=0,trust:n=0}){let r={won:Math.round(e),lost:Math.round(t),trust:J(n)};return e+t<xr?a("learning.early",{...r,needed:xr}):a(e>t?"learning.helps":"learning.no_help",r)}function hs({rows:e,policy:t}){if(!e.length)return l`<${M} title=${a("learning.empty")} text=${a("learning.empty_text")} command="react-mem chat" />`;let n=c=>c?.at?ke(c.at*1e3):"",r=[n(e[0]),n(e.at(-1))],s=(c,d=!0)=>({name:a(`learning.${c}`),values:d?ms(Xt(e,c)):Xt(e,c)}),o=Xt(e,"weight_norm"),i=t.features??{};return l`
    <p>${ps(t)}</p>
    ${!e.at(-1).learning&&l`<p class="warning">${a("learning.off")}</p>`}
    <ul class="tiles">
      <li><strong>${e.length}</strong> ${a("learning.turns",{n:e.length})}</li>
      <li><strong>${t.updates??0}</strong> ${a("learning.updates")}</li>
      <li><strong>${J(t.trust??0)}</strong> ${a("learning.trust")}</li>
    </ul>
    <${bt} title=${a("learning.citations")} curves=${[s("citation_rate"),s("mrr_shown")]} low=${0} high=${1} ends=${r} />
    <${bt} title=${a("learning.rewards")} curves=${[s("reward")]} low=${-1} high=${1} ends=${r} />
    <${bt} title=${a("learning.weights")} curves=${[s("weight_norm",!1),s("trust",!1)]} low=${0} high=${Math.max(1,...o)} ends=${r} />
    <p class="quiet-line">${a("learning.means",{n:Sr})}</p>
    ${Object.keys(i).length>0&&l`<section class="card entry"><h2>${a("learning.features")}</h2><${Ce} why=${i} /></section>`}
  `}var Tr=6;function Mr({total:e,height:t,row:n,need:r,label:s,version:o}){let i=z(null),[c,d]=$({top:0,size:800});Mn(()=>{let g=i.current,y=()=>d({top:g.scrollTop,size:g.clientHeight}),_=new ResizeObserver(y);return _.observe(g),g.addEventListener("scroll",y,{passive:!0}),()=>{_.disconnect(),g.removeEventListener("scroll",y)}},[]);let m=Math.max(0,Math.floor(c.top/t)-Tr),u=Math.min(e,Math.ceil((c.top+c.size)/t)+Tr);P(()=>{u>m&&r(m,u-1)},[m,u,o]);let f=g=>{let y=Math.min(e-1,Math.max(0,g)),_=y*t,v=i.current;_<v.scrollTop&&(v.scrollTop=_),_+t>v.scrollTop+v.clientHeight&&(v.scrollTop=_+t-v.clientHeight),requestAnimationFrame(()=>requestAnimationFrame(()=>v.querySelector(`[data-row="${y}"] a`)?.focus()))},h=g=>{let y=Number(g.target.closest?.("[data-row]")?.dataset.row??-1),_=Math.max(1,Math.floor(c.size/t)-1),v={ArrowDown:y+1,ArrowUp:y-1,PageDown:y+_,PageUp:y-_,Home:0,End:e-1}[g.key];v===void 0||y<0||(g.preventDefault(),f(v))},p=[];for(let g=m;g<u;g+=1)p.push(l`<li
        key=${g}
        data-row=${g}
        aria-posinset=${g+1}
        aria-setsize=${e}
        style=${{transform:`translateY(${g*t}px)`,height:`${t}px`}}
      >
        ${n(g)}
      </li>`);return l`<div class="virtual" ref=${i} tabindex="0" role="region" aria-label=${s} onKeyDown=${h}>
    <ul style=${{height:`${e*t}px`}}>
      ${p}
    </ul>
  </div>`}var ce=100,fs=200,Ar=ce/2,gs=2,wt=class{constructor(t){this.filters=t,this.rows=[],this.total=0,this.complete=!1,this.error=E(null),this.version=E(0),this.loaded=E(!1),this.reading=new Map,this.cursor="",this.ended=new AbortController,this.narrowed=!!(t.speaker||t.since||t.until)}need(t,n){if(this.filters.q){this.loaded.value||this.#e("search",()=>this.#o());return}if(this.narrowed){!this.complete&&n>=this.rows.length-ce/2&&this.#e("next",()=>this.#r());return}for(let r of $s(t,n))this.rows[r*ce]===void 0&&(r===0||r*ce<this.total)&&this.reading.size<gs&&this.#e(r,()=>this.#n(r))}close(){this.ended.abort()}get#t(){let{kind:t,status:n,speaker:r,since:s,until:o}=this.filters;return{limit:ce,kind:t||void 0,status:n,speaker:r,since:yt(s),until:yt(o,1)}}#e(t,n){if(this.reading.has(t))return;let r=n().then(()=>{this.error.value=null,this.loaded.value=!0,this.reading.delete(t),this.version.value+=1},s=>{this.reading.delete(t),this.ended.signal.aborted||(this.error.value=s)});this.reading.set(t,r)}async#n(t){let n=t?String(t*ce):"",r=await k("/v1/memories",{...this.#t,cursor:n},{signal:this.ended.signal});r.results.forEach((i,c)=>{this.rows[t*ce+c]=i});let s=t*ce+r.results.length,o=(this.filters.status||"active")==="active";r.next===null?(this.total=s,this.complete=!0):this.total=Math.max(this.total,o?r.count:s+1)}async#r(){let t=await k("/v1/memories",{...this.#t,cursor:this.cursor},{signal:this.ended.signal});this.rows.push(...t.results),this.cursor=t.next??"",this.complete=t.next===null,this.total=this.rows.length+(this.complete?0:1)}async#o(){let{q:t,kind:n,speaker:r,since:s,until:o}=this.filters,i=n?n.split(","):[],c=await G("/v1/memories/search",{query:t,limit:fs,types:i},{signal:this.ended.signal}),[d,m]=[yt(s),yt(o,1)];this.rows=c.results.filter(u=>(!r||u.speaker.toLowerCase()===r.toLowerCase())&&(!d||new Date(u.created_at)>=new Date(d))&&(!m||new Date(u.created_at)<new Date(m))),this.total=this.rows.length,this.complete=!0}};function $s(e,t){let n=s=>Math.floor(Math.max(0,s)/ce),r=Array.from({length:n(t)-n(e)+1},(s,o)=>n(e)+o);return[...new Set([...r,n(t+Ar),n(e-Ar)])]}function yt(e,t=0){if(!e)return;let[n,r,s]=e.split("-").map(Number);return new Date(n,r-1,s+t).toISOString()}function Cr(e,t){let[n,r]=[e,t].map(m=>m.split(/(\s+)/).filter(Boolean));if(n.length>300||r.length>300)return[{kind:"removed",text:e},{kind:"added",text:t}].filter(m=>m.text);let s=Array.from({length:n.length+1},()=>new Uint16Array(r.length+1));for(let m=n.length-1;m>=0;m-=1)for(let u=r.length-1;u>=0;u-=1)s[m][u]=n[m]===r[u]?s[m+1][u+1]+1:Math.max(s[m+1][u],s[m][u+1]);let o=[],i=(m,u)=>{let f=o.at(-1);f?.kind===m?f.text+=u:o.push({kind:m,text:u})},[c,d]=[0,0];for(;c<n.length||d<r.length;)c<n.length&&d<r.length&&n[c]===r[d]?(i("same",n[c]),c+=1,d+=1):d>=r.length||c<n.length&&s[c+1][d]>=s[c][d+1]?(i("removed",n[c]),c+=1):(i("added",r[d]),d+=1);return o}var _s=["facts-service","manager","import"];function Dr({memory:e,history:t}){let n=[...t].reverse(),r=He(e.valid_from||e.said_at||e.created_at),s=e.valid_to?He(e.valid_to):null,o=["superseded","undone"].includes(e.status)?He(n.at(-1)?.at):null,i=Date.now(),c=[r,s,...n.map(g=>He(g.at))].filter(Boolean),[d,m]=[Math.min(...c),Math.max(i,...c)],u=g=>m===d?0:(g-d)/(m-d)*100,f=Math.min(s??m,o??m),h={left:`${u(r)}%`,width:`${Math.max(1,u(f)-u(r))}%`},p=!s&&!o;return l`<section class="lifeline" aria-label=${a("memory.life")}>
    <h3>${a("memory.life")}</h3>
    <p class="meta">
      ${a("memory.holds_from")} <${T} at=${new Date(r).toISOString()} both />
      ${p?l`<span>${a("memory.holds_still")}</span>`:l`<span>${a("memory.held_until")} <${T} at=${new Date(f).toISOString()} both /></span>`}
    </p>
    <div class="line" aria-hidden="true">
      <span class=${p?"held open":"held"} style=${h}></span>
      ${n.map(g=>l`<span class=${`dot ${g.change}`} style=${{left:`${u(He(g.at))}%`}} title=${`${x("change",g.change)} · ${ke(g.at)}`}></span>`)}
    </div>
    <div class="line-ends" aria-hidden="true"><span>${ke(new Date(d))}</span><span>${m===i?a("memory.now"):ke(new Date(m))}</span></div>
    <ol class="changes">
      ${t.map((g,y)=>l`<${bs} entry=${g} before=${t[y+1]} />`)}
    </ol>
  </section>`}var He=e=>e?new Date(e).getTime():null,vs=({by:e})=>_s.includes(e)?x("by",e):l`<span title=${e}>${a("by.job")}</span>`;function bs({entry:e,before:t}){let n=t&&t.memory!==e.memory&&e.memory;return l`<li>
    <span class=${`dot ${e.change}`} aria-hidden="true"></span>
    <div>
      <p><strong>${x("change",e.change)}</strong> <span class="meta">${a("memory.version",{version:e.version})} · <${T} at=${e.at} both />${e.by&&l` · <${vs} by=${e.by} />`}</span></p>
      ${n&&l`<p class="difference">
        ${Cr(t.memory,e.memory).map(({kind:r,text:s})=>r==="removed"?l`<del>${s}</del>`:r==="added"?l`<ins>${s}</ins>`:s)}
      </p>`}
    </div>
  </li>`}var Ne=e=>`/v1/memories/${encodeURIComponent(e)}`;function Nr({id:e,close:t}){let n=async h=>{let[p,g]=await Promise.all([k(Ne(e),{},{signal:h}),k(`${Ne(e)}/history`,{},{signal:h})]);return{memory:p,history:g.results}},{data:r,error:s,again:o}=A(n,[e],["memory."]),[i,c]=$(null),[d,m]=$(!1),u=()=>{c(null),B(t)};if(i)return l`<${ie} title=${a("memory.erased")} close=${u}>
      <${$t} receipt=${hr(i)} />
      <div class="dialog-actions"><button type="button" class="button primary" onClick=${u}>${a("action.close")}</button></div>
    <//>`;let f=l`<a class="button quiet back" href=${t}><${ae} name="close" /><span>${a("memory.close")}</span></a>`;return s?.status===404&&!d?l`${f}<${M} title=${a("memory.gone")} text=${a("memory.gone_text")} />`:s&&!d?l`${f}<${le} error=${s} retry=${o} />`:r?l`${f}<${ys} ...${r} again=${o} erasing=${m} erased=${c} />`:l`${f}<${ee} lines=${6} />`}function ys({memory:e,history:t,again:n,erasing:r,erased:s}){let[o,i]=$(""),c=()=>{i(""),n()},d=async m=>{try{let u=await G(`${Ne(m)}/undo`);C(a("memory.undone",{n:u.changed}),u.operation&&{label:a("memory.redo"),act:()=>d(u.operation)}),n()}catch(u){C(u.message||a("state.unreachable"))}};return l`<article class="memory-one">
    <p class="meta">
      <${Z} kind=${e.kind} /><${re} status=${e.status} />
      ${e.speaker&&l`<span>${a("memory.said_by",{speaker:e.speaker})}</span>`}
      <${T} at=${e.said_at||e.created_at} both />
      ${e.until&&l`<span>${e.until}</span>`}
    </p>
    <p class="memory-text">${e.memory}</p>
    ${e.condition&&l`<p class="meta">${a("memory.condition")}: ${e.condition}</p>`}
    ${o==="edit"?l`<${ks} memory=${e} done=${c} cancel=${()=>i("")} />`:N.value.writes&&l`<div class="actions">
          <button type="button" class="button" onClick=${()=>i("edit")}>${a("memory.edit")}</button>
          <button type="button" class="button" onClick=${()=>d(e.id)}>${a("memory.undo")}</button>
          <button type="button" class="button danger" onClick=${()=>i("forget")}>${a("memory.forget")}</button>
        </div>`}
    <${ws} memory=${e} />
    <${Dr} memory=${e} history=${t} />
    ${o==="forget"&&l`<${xs} memory=${e} erasing=${r} close=${()=>i("")} done=${s} />`}
  </article>`}function ws({memory:e}){let t=e.derived_from??[],n=[["memory.trust",x("trust",e.trust)],["memory.importance",J(e.importance)],["memory.uses",e.uses],e.run_id&&["memory.conversation",l`<a href=${b(["conversations"],{id:e.run_id})}>${e.run_id}</a>`],e.superseded_by&&["memory.superseded_by",l`<a href=${b(["memories",e.superseded_by])}>${e.superseded_by}</a>`],t.length&&["memory.derived_from",t.map((r,s)=>l`<a href=${b(["memories",r])}>${a("memory.source",{n:s+1})}</a> `)],["memory.id",l`<code>${e.id}</code>`]].filter(Boolean);return l`<dl class="facts">
    ${n.map(([r,s])=>l`<div><dt>${a(r)}</dt><dd>${s}</dd></div>`)}
  </dl>`}function ks({memory:e,done:t,cancel:n}){let r=e.kind==="procedural",[s,o]=$({text:e.memory,condition:e.condition,action:e.action,importance:e.importance}),[i,c]=$({busy:!1,error:""}),d=u=>f=>o({...s,[u]:f.target.value});return l`<form class="edit" onSubmit=${async u=>{u.preventDefault();let f={text:e.memory,condition:e.condition,action:e.action},h=Object.fromEntries(Object.entries(f).flatMap(([p,g])=>s[p].trim()&&s[p]!==g?[[p,s[p]]]:[]));if(Number(s.importance)!==e.importance&&(h.importance=Number(s.importance)),!Object.keys(h).length)return n();c({busy:!0,error:""});try{await ut(Ne(e.id),h,{headers:{"If-Match":`"${e.version}"`}}),C(a("memory.saved")),t()}catch(p){c({busy:!1,error:p.message||a("state.unreachable")})}}}>
    ${r?l`<label class="field"><span>${a("memory.condition")}</span><textarea rows="2" value=${s.condition} onInput=${d("condition")}></textarea></label>
          <label class="field"><span>${a("memory.action")}</span><textarea rows="3" value=${s.action} onInput=${d("action")}></textarea></label>`:l`<label class="field"><span>${a("memory.text")}</span><textarea rows="4" required value=${s.text} onInput=${d("text")}></textarea></label>`}
    <label class="field"><span>${a("memory.importance_of",{value:J(Number(s.importance))})}</span>
      <input type="range" min="0" max="1" step="0.05" value=${s.importance} onInput=${d("importance")} /></label>
    ${i.error&&l`<p class="error" role="alert">${i.error}</p>`}
    <div class="actions">
      <button type="submit" class="button primary" disabled=${i.busy}>${a("action.save")}</button>
      <button type="button" class="button" onClick=${n}>${a("action.cancel")}</button>
    </div>
  </form>`}function xs({memory:e,erasing:t,close:n,done:r}){let{data:s,error:o,again:i}=A(h=>k(`${Ne(e.id)}/dependents`,{},{signal:h}),[e.id]),[c,d]=$([]);if(o)return l`<${ie} title=${a("memory.forget_title")} close=${n}><${le} error=${o} retry=${i} /><//>`;if(!s)return l`<${ie} title=${a("memory.forget_title")} close=${n}><${ee} lines=${3} /><//>`;let m=s.repeats.filter(h=>!c.includes(h.id)),u=async()=>{let h=[];t(!0);for(let p of[e.id,...m.map(g=>g.id)])try{h.push((await Y(Ne(p))).receipt)}catch(g){if(g.status===404)continue;throw t(!1),g}return h},f=h=>d(c.includes(h)?c.filter(p=>p!==h):[...c,h]);return l`<${Q} title=${a("memory.forget_title")} label=${a("memory.forget_count",{n:1+s.derived+m.length})} act=${u} done=${r} close=${n}>
    <blockquote><p class="clipped">${e.memory}</p></blockquote>
    <ul class="counts">
      <li>${a("memory.forget_one")}</li>
      <li>${a("memory.forget_derived",{n:s.derived})}</li>
      ${s.repeats.length>0&&l`<li>${a("memory.forget_repeats",{n:s.repeats.length})}</li>`}
    </ul>
    ${s.repeats.map(h=>l`<label class="check"><input type="checkbox" checked=${!c.includes(h.id)} onChange=${()=>f(h.id)} /> <span>${h.memory}</span></label>`)}
    <p class="warning">${a("memory.forget_final")}</p>
  <//>`}var Yt=["q","kind","status","speaker","since","until"],Ss=78,Or=250;function Rr(){let{rest:e,query:t}=H.value,n=Object.fromEntries(Yt.map(o=>[o,t.get(o)??""])),r=o=>B(b(["memories"],{...n,...o}),{replace:!0}),s=e[0]??"";return l`<div class=${s?"split chosen":"split"}>
    <section class="split-list">
      <header class="page-head">
        <h1 tabindex="-1">${a("pane.memories")}</h1>
      </header>
      <${Es} filters=${n} change=${r} />
      <${Ts} key=${JSON.stringify(n)} filters=${n} chosen=${s} />
    </section>
    <section class="split-one" aria-label=${a("memory.one")}>
      ${s?l`<${Nr} key=${s} id=${s} close=${b(["memories"],n)} />`:l`<${M} title=${a("memories.choose")} text=${a("memories.choose_text")} />`}
    </section>
  </div>`}function Es({filters:e,change:t}){let[n,r]=$(e.q),s=z(0),o=u=>{r(u),clearTimeout(s.current),s.current=setTimeout(()=>t({q:u.trim()}),Or)};P(()=>()=>clearTimeout(s.current),[]);let i=["kind","status","speaker","since","until"].filter(u=>e[u]).length,[c,d]=$(i>0),m=()=>{r(""),t(Object.fromEntries(Yt.map(u=>[u,""])))};return l`<form class="filters" role="search" onSubmit=${u=>u.preventDefault()}>
    <div class="filter-line">
      <label class="unseen" for="search">${a("memories.search")}</label>
      <input id="search" type="search" value=${n} placeholder=${a("memories.search")} onInput=${u=>o(u.target.value)} />
      ${(i>0||e.q)&&l`<button type="button" class="button" onClick=${m}>${a("memories.clear")}</button>`}
    </div>
    <details open=${c} onToggle=${u=>d(u.currentTarget.open)}>
      <summary>${i?a("memories.filters_set",{n:i}):a("memories.filters")}</summary>
      <div class="filter-grid">
        <${jr} name="kind" group="kind" values=${Qn} filters=${e} change=${t} />
        <${jr} name="status" group="status" values=${Xn} first="active" filters=${e} change=${t} disabled=${!!e.q} />
        <label class="field"><span>${a("memories.speaker")}</span>
          <input value=${e.speaker} onChange=${u=>t({speaker:u.target.value.trim()})} /></label>
        <label class="field"><span>${a("memories.since")}</span>
          <input type="date" value=${e.since} onChange=${u=>t({since:u.target.value})} /></label>
        <label class="field"><span>${a("memories.until")}</span>
          <input type="date" value=${e.until} onChange=${u=>t({until:u.target.value})} /></label>
      </div>
    </details>
  </form>`}function jr({name:e,group:t,values:n,first:r="",filters:s,change:o,disabled:i=!1}){return l`<label class="field"><span>${a(`memories.${e}`)}</span>
    <select value=${s[e]||r} disabled=${i} onChange=${c=>o({[e]:c.target.value===r?"":c.target.value})}>
      ${!r&&l`<option value="">${a("memories.any")}</option>`}
      ${n.map(c=>l`<option value=${c}>${x(t,c)}</option>`)}
    </select></label>`}function Ts({filters:e,chosen:t}){let[n,r]=$(0),s=ve(()=>new wt(e),[n]),o=z(s);P(()=>(s.need(0,0),()=>s.close()),[s]),P(()=>{let m=0,u=we(["memory."],()=>{clearTimeout(m),m=setTimeout(()=>r(f=>f+1),Or)});return()=>{clearTimeout(m),u()}},[]),s.loaded.value&&(o.current=s);let i=o.current,c=i.version.value;if(s.error.value)return l`<${le} error=${s.error.value} retry=${()=>r(n+1)} />`;if(!i.loaded.value)return l`<${ee} lines=${8} />`;if(i.total===0)return l`<${Ms} filtered=${Yt.some(m=>e[m])} />`;let d=m=>l`<${As} memory=${i.rows[m]} chosen=${t} filters=${e} />`;return l`<p class="count" role="status">${i.complete||!i.narrowed?a("memories.count",{n:i.total}):a("memories.count_more",{n:i.total-1})}</p>
    <${Mr} total=${i.total} height=${Ss} row=${d} need=${(m,u)=>i.need(m,u)} label=${a("memories.list")} version=${c} />`}var Ms=({filtered:e})=>e?l`<${M} title=${a("memories.none")} text=${a("memories.none_text")} />`:l`<${M} title=${a("memories.empty")} text=${a("memories.empty_text")} command="react-mem chat" />`;function As({memory:e,chosen:t,filters:n}){return e?l`<a class="row" href=${b(["memories",e.id],n)} aria-current=${e.id===t?"true":void 0}>
    <span class="row-text">${e.memory}</span>
    <span class="meta">
      <${Z} kind=${e.kind} />
      ${e.status!=="active"&&l`<${re} status=${e.status} />`}
      ${e.until&&l`<span>${e.until}</span>`}
      ${e.speaker&&l`<span>${e.speaker}</span>`}
      <${T} at=${e.said_at||e.created_at} />
    </span>
  </a>`:l`<span class="row"><span class="skeleton"></span></span>`}var Cs=["shown","cut","folded","dissimilar"],Ds=["off","paper","calibrated"],Ns={shown:"good",cut:"",folded:"warm",dissimilar:""};function qr(){let{query:e}=H.value,t={q:e.get("q")??"",limit:e.get("limit")??"5",candidates:e.get("candidates")??"20",rerank:e.get("rerank")??""};return l`<${j} title=${a("pane.recall")} lead=${a("recall.lead")} wide>
    <${js} key=${JSON.stringify(t)} asked=${t} />
    ${t.q?l`<${Os} key=${JSON.stringify(t)} asked=${t} />`:l`<${M} title=${a("recall.empty")} text=${a("recall.empty_text")} />`}
  <//>`}function js({asked:e}){let[t,n]=$(e),r=o=>i=>n({...t,[o]:i.target.value});return l`<form class="card recall-form" onSubmit=${o=>{o.preventDefault(),t.q.trim()&&B(b(["recall"],{...t,q:t.q.trim()}))}}>
    <label class="field grow"><span>${a("recall.question")}</span>
      <input type="search" required value=${t.q} onInput=${r("q")} /></label>
    <label class="field"><span>${a("recall.limit")}</span>
      <input type="number" min="1" max="100" value=${t.limit} onInput=${r("limit")} /></label>
    <label class="field"><span>${a("recall.candidates")}</span>
      <input type="number" min="1" max="200" value=${t.candidates} onInput=${r("candidates")} /></label>
    <label class="field"><span>${a("recall.rerank")}</span>
      <select value=${t.rerank} onChange=${r("rerank")}>
        <option value="">${a("recall.rerank_default")}</option>
        ${Ds.map(o=>l`<option value=${o}>${x("rerank",o)}</option>`)}
      </select></label>
    <button type="submit" class="button primary">${a("recall.explain")}</button>
  </form>`}function Os({asked:e}){let t=u=>G("/v1/memories/explain",{query:e.q,limit:Number(e.limit),candidates:Number(e.candidates),rerank:e.rerank},{signal:u}),{data:n,error:r,again:s}=A(t,[e.q,e.limit,e.candidates,e.rerank],["memory.forgotten"]);if(r)return l`<${le} error=${r} retry=${s} />`;if(!n)return l`<${ee} lines=${6} />`;let o=n.results.flatMap(u=>[u.score,u.retrieval_score]).filter(u=>u!==null),i=Math.max(.1,...o.map(Math.abs)),c=Math.max(.01,...n.results.flatMap(u=>pt(u.why).map(({value:f})=>Math.abs(f)))),d=Object.values(n.timings_ms).reduce((u,f)=>u+f,0),m=Object.fromEntries(n.results.map(u=>[u.id,u.memory]));return l`
    <p class="meta" role="status">
      <span>${a("recall.summary",{n:n.results.length})}</span>
      <span>${n.policy_version?a("recall.policy",{version:n.policy_version}):a("recall.no_policy")}</span>
      <span>${a("recall.took",{ms:Math.round(d)})}</span>
      ${n.unranked&&l`<span class="warning">${a("recall.unranked",{reason:n.unranked})}</span>`}
    </p>
    ${n.abstained&&l`<p class="warning">${a("recall.abstained")}</p>`}
    ${!n.results.length&&l`<${M} title=${a("recall.nothing")} text=${a("recall.nothing_text")} />`}
    ${Cs.map(u=>{let f=n.results.filter(h=>h.state===u);return f.length>0&&l`<section class="candidates">
          <h2>${a(`recall.${u}`,{n:f.length})}</h2>
          <p class="lead">${a(`recall.${u}_text`)}</p>
          <ol>
            ${f.map(h=>l`<${Rs} key=${h.id} candidate=${h} place=${n.results.indexOf(h)} span=${i} most=${c} texts=${m} />`)}
          </ol>
        </section>`})}
    ${n.rules.length>0&&l`<section class="candidates">
      <h2>${a("recall.rules",{n:n.rules.length})}</h2>
      <ul>
        ${n.rules.map(u=>l`<li class="card candidate-rule"><a href=${b(["memories",u.id])}>${u.memory}</a></li>`)}
      </ul>
    </section>`}
  `}function Rs({candidate:e,place:t,span:n,most:r,texts:s}){let{state:o,rank_before:i,score:c,retrieval_score:d,probability:m}=e,u=o==="shown"||o==="cut"?t+1:null,f=u!==null&&i!==null&&i>=0?i+1-u:0;return l`<li class=${`card candidate ${o}`}>
    <div class="candidate-head">
      <span class="rank">${u??"–"}</span>
      <div class="candidate-text">
        <p class="clipped"><a href=${b(["memories",e.id])}>${e.memory}</a></p>
        <p class="meta">
          <${V} tone=${Ns[o]}>${a(`recall.state_${o}`)}<//>
          <${Z} kind=${e.kind} />
          ${e.speaker&&l`<span>${e.speaker}</span>`}
          <${T} at=${e.said_at||e.created_at} />
          ${e.until&&l`<span>${e.until}</span>`}
          ${f!==0&&l`<span class=${f>0?"rose":"fell"}>${a(f>0?"recall.rose":"recall.fell",{n:Math.abs(f)})}</span>`}
        </p>
        ${o==="folded"&&l`<p class="meta">${e.folded_into?l`${a("recall.folded_into")} <a href=${b(["memories",e.folded_into])}>${s[e.folded_into]??e.folded_into}</a>`:a("recall.folded_repeat")}</p>`}
      </div>
      <dl class="scores">
        <${Lr} name=${a("recall.before")} value=${d} span=${n} />
        <${Lr} name=${a("recall.after")} value=${c} span=${n} strong />
        ${m!==null&&l`<div><dt>${a("recall.share")}</dt><dd>${Math.round(m*100)} %</dd></div>`}
      </dl>
    </div>
    ${e.why&&Object.keys(e.why).length>0&&l`<details open=${t===0||void 0}>
      <summary>${a("recall.why",{n:pt(e.why).length})}</summary>
      <${Ce} why=${e.why} most=${r} />
    </details>`}
  </li>`}function Lr({name:e,value:t,span:n,strong:r=!1}){if(t==null)return null;let s=Math.min(1,Math.abs(t)/n)*50,o=t<0?{left:`${50-s}%`,width:`${s}%`}:{left:"50%",width:`${s}%`};return l`<div>
    <dt>${e}</dt>
    <dd><span class="bar-track" aria-hidden="true"><span class=${`bar${t<0?" minus":""}${r?"":" faint"}`} style=${o}></span></span>${J(t)}</dd>
  </div>`}var Ls=500;function Wr(){let[e,t]=$(null),[n,r]=$(null),s=A(c=>k("/v1/rules",{limit:Ls},{signal:c}),[],["memory."]),o=A(c=>k("/v1/topics",{limit:20},{signal:c}),[],["memory."]),i=l`<button type="button" class="button primary" onClick=${()=>t({})}>${a("rules.add")}</button>`;return l`<${j} title=${a("pane.rules")} lead=${a("rules.lead")} actions=${i}>
    <${q} loaded=${s}>
      ${({results:c})=>l`
        ${!c.length&&l`<${M} title=${a("rules.empty")} text=${a("rules.empty_text")} />`}
        <ul class="entries">
          ${c.map(d=>l`<li key=${d.id} class="card entry">
              ${d.condition&&l`<p class="meta">${a("rules.when",{condition:d.condition})}</p>`}
              <p><strong>${d.action||d.memory}</strong></p>
              <p class="meta"><${T} at=${d.created_at} /> <a href=${b(["memories",d.id])}>${a("rules.history")}</a></p>
              <div class="actions">
                <button type="button" class="button" onClick=${()=>t(d)}>${a("action.edit")}</button>
                <button type="button" class="button quiet" onClick=${()=>r(d)}>${a("action.forget")}</button>
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    <section>
      <h2>${a("rules.topics")}</h2>
      <${q} loaded=${o}>
        ${({results:c})=>c.length?c.map(d=>l`<div key=${d.topic} class="card entry"><h3>${d.topic}</h3><p class="whole">${d.summary}</p><p class="meta"><${T} at=${d.updated_at} both /></p></div>`):l`<p class="quiet-line">${a("rules.no_topics")}</p>`}
      <//>
    </section>
    ${e&&l`<${qs} rule=${e} close=${()=>t(null)} done=${s.again} />`}
    ${n&&l`<${Q}
      title=${a("rules.forget")}
      label=${a("action.forget")}
      act=${()=>Y(`/v1/memories/${encodeURIComponent(n.id)}`)}
      done=${()=>{s.again(),C(a("rules.forgotten"))}}
      close=${()=>r(null)}
    ><p>${a("rules.forget_text")}</p><p><strong>${n.memory}</strong></p><//>`}
  <//>`}function qs({rule:e,close:t,done:n}){let[r,s]=$(e.condition??""),[o,i]=$(e.action??""),[c,d]=$({busy:!1,error:""}),m=async u=>{u.preventDefault(),d({busy:!0,error:""});let f=r.trim()?`${r.trim()}: ${o.trim()}`:o.trim(),h={condition:r.trim(),action:o.trim()};try{await(e.id?ut(`/v1/memories/${encodeURIComponent(e.id)}`,{text:f,...h}):G("/v1/rules",h)),t(),n(),C(a("rules.saved"))}catch(p){d({busy:!1,error:p.message||a("state.unreachable")})}};return l`<${ie} title=${a(e.id?"rules.edit":"rules.add")} close=${t}>
    <form onSubmit=${m}>
      <label class="field"><span>${a("rules.condition")}</span>
        <input value=${r} onInput=${u=>s(u.target.value)} required=${!!e.condition} /></label>
      <label class="field"><span>${a("rules.action")}</span>
        <textarea rows="3" required value=${o} onInput=${u=>i(u.target.value)}></textarea></label>
      ${c.error&&l`<p class="error" role="alert">${c.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${t}>${a("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${c.busy||!o.trim()}>${a("action.save")}</button>
      </div>
    </form>
  <//>`}var en="/v1/settings";function Ws(e,t){return e.choices.length||e.type==="string"?t:e.type==="boolean"?t==="true":JSON.parse(t)}var tn=(e,t)=>typeof t=="string"?t:JSON.stringify(t),Ir=(e,t)=>e.type==="boolean"?a(`settings.${t}`):t||a("settings.empty");function Pr(){let e=A(h=>k(en,{},{signal:h})),[t,n]=$({}),[r,s]=$(""),[o,i]=$(!1),c=async(h,p)=>{let g=_=>n(v=>({...v,[h.name]:_}));if(p===tn(h,h.value)){n(({[h.name]:_,...v})=>v);return}let y;try{y=Ws(h,p)}catch{g({text:p,error:a("settings.not_json")});return}g({text:p,value:y,error:""}),await dt(en,{settings:{[h.name]:y},dry_run:!0}).catch(_=>{let v=_.message||a("state.unreachable");n(w=>w[h.name]?.text===p?{...w,[h.name]:{text:p,value:y,error:v}}:w)})},d=Object.keys(t).length,m=Object.values(t).some(h=>h.error),u=d>0&&l`
    <button type="button" class="button" onClick=${()=>n({})}>${a("settings.discard")}</button>
    <button type="button" class="button primary" disabled=${m} onClick=${()=>i(!0)}>${a("settings.save",{n:d})}</button>
  `,f=()=>{n({}),e.again(),C(a("settings.saved"))};return l`<${j} title=${a("pane.settings")} lead=${a("settings.lead")} actions=${u}>
    <label class="field narrow"><span>${a("settings.filter")}</span>
      <input type="search" value=${r} onInput=${h=>s(h.target.value)} /></label>
    <${q} loaded=${e}>
      ${({results:h})=>{let p=h.filter(g=>`${g.name} ${g.meaning}`.toLowerCase().includes(r.trim().toLowerCase()));return l`${!p.length&&l`<p class="quiet-line">${a("settings.none")}</p>`}
          <ul class="entries">${p.map(g=>l`<${Is} key=${g.name} setting=${g} change=${t[g.name]} edit=${c} />`)}</ul>`}}
    <//>
    ${o&&l`<${Ps} changes=${t} done=${f} close=${()=>i(!1)} />`}
  <//>`}function Is({setting:e,change:t,edit:n}){let r=`setting-${e.name}`,s=t?.text??tn(e,e.value),o=e.choices.length?e.choices:e.type==="boolean"?["true","false"]:[],i={id:r,value:s,"aria-describedby":`${r}-meaning`,"aria-invalid":t?.error?"true":void 0};return l`<li class="card entry setting">
    <label for=${r}><code>${e.name}</code></label>
    ${o.length?l`<select ...${i} onChange=${c=>n(e,c.target.value)}>
          ${o.map(c=>l`<option value=${c}>${Ir(e,c)}</option>`)}
        </select>`:l`<input ...${i} inputmode=${["integer","number"].includes(e.type)?"decimal":void 0} onInput=${c=>n(e,c.target.value)} />`}
    <p id=${`${r}-meaning`} class="quiet-line">
      ${e.meaning} ${a("settings.default",{value:Ir(e,tn(e,e.default))})}${" "}
      ${e.minimum!==null&&e.maximum!==null&&a("settings.range",{low:e.minimum,high:e.maximum})}${" "}
      ${e.is_set&&l`<strong>${a("settings.set")}</strong>`}
    </p>
    ${t?.error&&l`<p class="error" role="alert">${t.error}</p>`}
  </li>`}function Ps({changes:e,done:t,close:n}){let[r,s]=$(""),[o,i]=$({busy:!1,error:""}),c=async d=>{d.preventDefault(),i({busy:!0,error:""});let m=await zs(r.trim(),Object.fromEntries(Object.entries(e).map(([u,f])=>[u,f.value])));m===null?(n(),t()):i({busy:!1,error:m||a("state.unreachable")})};return l`<${ie} title=${a("settings.save",{n:Object.keys(e).length})} close=${n}>
    <form onSubmit=${c}>
      <p>${a("settings.for_all")}</p>
      <ul>${Object.entries(e).map(([d,m])=>l`<li><code>${d}</code> = ${m.text}</li>`)}</ul>
      <label class="field"><span>${a("settings.key")}</span>
        <input type="password" autocomplete="off" value=${r} onInput=${d=>s(d.target.value)} required /></label>
      <p class="quiet-line">${a("settings.key_text")} <code>react-mem keys create --kind admin</code></p>
      ${o.error&&l`<p class="error" role="alert">${o.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${n}>${a("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${o.busy}>${a("action.save")}</button>
      </div>
    </form>
  <//>`}async function zs(e,t){let n={"Content-Type":"application/json",Authorization:`Bearer ${e}`},r=await fetch(en,{method:"PUT",headers:n,body:JSON.stringify({settings:t})}).catch(()=>null);return r?.ok?null:(await r?.json().catch(()=>null))?.detail??""}var kt=[{id:"ask",component:dr},{id:"memories",component:Rr},{id:"recall",component:qr},{id:"conversations",component:mr},{id:"rules",component:Wr},{id:"jobs",component:wr},{id:"learning",component:Er},{id:"erasures",component:gr},{id:"graph",component:_r},{id:"settings",component:Pr},{id:"health",component:br}];function zr(){let[e,t]=$(""),[n,r]=$(!1),s=async o=>{o.preventDefault(),r(!0),await Ut(e.trim()),r(!1)};return l`<main class="centre">
    <div class="card sign-in">
      <img src="/ui/icon.svg" width="48" height="48" alt="" />
      <h1>${a("sign_in.title")}</h1>
      <p>${a("sign_in.command")}</p>
      <p><code>react-mem ui</code></p>
      <form onSubmit=${s}>
        <label class="field">
          <span>${a("sign_in.key")}</span>
          <input
            type="password"
            autocomplete="off"
            value=${e}
            aria-describedby="refusal"
            onInput=${o=>t(o.target.value)}
          />
        </label>
        <p id="refusal" class="error" role="alert">${Ft.value}</p>
        <button type="submit" class="button primary" disabled=${n||!e.trim()}>${a("sign_in.submit")}</button>
      </form>
    </div>
  </main>`}var nn=["system","light","dark"],Fr="react-mem-theme",Gr=localStorage.getItem(Fr),xt=E(nn.includes(Gr)?Gr:"system");function Ur(e){localStorage.setItem(Fr,e),xt.value=e}F(()=>{document.documentElement.dataset.theme=xt.value});F(()=>{document.documentElement.lang=U.value});function Hr(){return N.value===void 0?l`<main class="centre"><${ee} lines=${3} /></main>`:N.value===null?l`<${zr} />`:l`<${Gs} />`}function Gs(){let[e,t]=$(!1),{pane:n}=H.value,r=kt.find(i=>i.id===(n||kt[0].id)),s=z(null),o=z(!0);return P(()=>{document.title=`${r?a(`pane.${r.id}`):a("state.no_page")} · react-mem`},[r,U.value]),P(()=>{t(!1),o.current?o.current=!1:s.current?.querySelector("h1")?.focus({preventScroll:!0}),s.current?.scrollTo(0,0)},[r]),l`<div class="shell">
    <a class="skip" href="#content" onClick=${i=>{i.preventDefault(),s.current?.focus()}}>${a("shell.skip")}</a>
    <header class="topbar">
      <button type="button" class="button quiet" aria-expanded=${e} aria-controls="nav" onClick=${()=>t(!e)}>
        <${ae} name="menu" /><span>${a("shell.menu")}</span>
      </button>
      <${Br} />
    </header>
    <div class=${e?"side open":"side"} id="nav">
      <${Br} />
      <nav aria-label=${a("shell.panes")}>
        <ul>
          ${kt.map(i=>l`<li>
              <a href=${b([i.id])} aria-current=${i===r?"page":void 0} onClick=${()=>t(!1)}>
                <${ae} name=${i.id} />${a(`pane.${i.id}`)}
              </a>
            </li>`)}
        </ul>
      </nav>
      <${Us} />
    </div>
    <main id="content" tabindex="-1" ref=${s}>
      <${Fs} />
      ${r?l`<${r.component} key=${r.id} />`:l`<${j} title=${a("state.no_page")}><${M} title=${a("state.no_page_text")} /><//>`}
    </main>
    <${er} />
  </div>`}var Br=()=>l`<a class="brand" href=${b([])}><img src="/ui/icon.svg" width="28" height="28" alt="" />react-mem</a>`;function Fs(){return pe.value!=="lost"?null:l`<p class="banner" role="status">${a("state.connection_lost")}</p>`}function Us(){let{user:e,collections:t}=N.value;return l`<div class="foot">
    <p class="who"><span class="avatar" aria-hidden="true">${e.slice(0,1).toUpperCase()}</span
      ><span><strong>${e}</strong><br />${t.join(", ")||a("shell.all_collections")}</span></p>
    <div class="choices">
      <label><span class="unseen">${a("shell.language")}</span>
        <select value=${U.value} onChange=${n=>Zn(n.target.value)}>
          ${Object.entries(mt).map(([n,r])=>l`<option value=${n}>${r}</option>`)}
        </select></label>
      <label><span class="unseen">${a("shell.theme")}</span>
        <select value=${xt.value} onChange=${n=>Ur(n.target.value)}>
          ${nn.map(n=>l`<option value=${n}>${a(`theme.${n}`)}</option>`)}
        </select></label>
    </div>
    <button type="button" class="button quiet" onClick=${Bn}>${a("shell.sign_out")}</button>
  </div>`}$n(l`<${Hr} />`,document.getElementById("app"));Un();
