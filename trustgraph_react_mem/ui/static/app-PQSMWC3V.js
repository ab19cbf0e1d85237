var b,Jt,gt,oe,ht,Ge,Kt,ze,Zt,_t,mt,yo,xe=Symbol.for("pv"),He={},Fe=[],wo=/^m(i|n|o|s|text|space)$/,$t=Array.isArray,vt=Fe.slice,ce=Object.assign;function le(t){t&&t.parentNode&&t.remove()}function Be(t,e,n){var o,i,s,r={},l=arguments.length;for(s in e)s=="key"?o=e[s]:s=="ref"&&typeof t!="function"?i=e[s]:r[s]=e[s];return l>2&&(r.children=l>3?vt.call(arguments,2):n),ke(t,r,o,i,null)}function ke(t,e,n,o,i){var s={type:t,props:e,key:n,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:xe,__v:i||++Jt,__i:-1,__u:0};return!i&&b.vnode&&b.vnode(s),s}function ue(t){return t.children}function me(t,e){this.props=t,this.context=e,this.__g=0}function re(t,e){if(e==null)return t.__&&re(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:re(t)}function ko(t){var e,n=t.__v,o=n.__e,i=[],s=[],r=t.__P;r&&((e=ce({constructor:xe},n)).__v=n.__v+1,b.vnode&&b.vnode(e),bt(r,e,n,t.__n,r.namespaceURI,32&n.__u?[o]:null,i,o||re(n),32&n.__u,s),e.__v=n.__v,e.__.__k[e.__i]=e,nn(i,e,s),n.__=n.__e=null,e.__e!=o&&Qt(e))}function Qt(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),Qt(t)}function Bt(t){(8&t.__g||(t.__g|=8,oe.push(t),Ge++))&&ht==b.debounceRendering||((ht=b.debounceRendering)||queueMicrotask)(Xt)}function Xt(){try{for(var t,e=1;oe.length;)oe.length>e&&oe.sort(Kt),t=oe.shift(),e=oe.length,8&t.__g&&ko(t)}finally{(Ge=oe.length)&&(ht||queueMicrotask)(Xt)}}function Yt(t,e,n,o,i,s,r,l,u,f,p){var m,h,d,g,T,v,y=o.__k||Fe,$=e.length;for(u=xo(n,e,y,u,$),m=0;m<$;m++)(d=n.__k[m])!=null&&(h=~d.__i&&y[d.__i]||He,d.__i=m,v=bt(t,d,h,i,s,r,l,u,f,p),g=d.__e,(h.ref!=d.ref||8&h.__u)&&(h.ref&&yt(h.ref,null,d,h),d.ref&&p.push(d.ref,d.__c||g,d)),T=T||g,4&d.__u?(u=en(d,u,t,!h.__v),h.__e&&(h.__e=null)):typeof d.type=="function"&&v!==void 0?u=v:g&&(u=g.nextSibling),d.__u&=-21);return n.__e=T,u}function xo(t,e,n,o,i){var s,r,l,u,f,p,m,h,d,g=n.length,T=g,v=0,y=0,$=t.__k=Array(i);for(s=0;s<i;s++)(r=e[s])!=null&&typeof r!="boolean"&&typeof r!="function"?(typeof r!="object"||r.constructor===String?r=$[s]=ke(null,r):$t(r)?r=$[s]=ke(ue,{children:r}):r.constructor===xe&&r.__b?r=$[s]=ke(r.type,r.props,r.key,r.ref,r.__v):$[s]=r,u=s+v,r.__=t,r.__b=t.__b+1,l=null,~(f=r.__i=So(r,n,u,T))&&(T--,(l=n[f])&&(l.__u|=2)),l&&l.__v?(r.__u|=16,f==u-1?v--:f==u+1?v++:f!=u&&(f>u?v--:v++,y=1)):(~f||(i>g?v--:i<g&&v++),typeof r.type!="function"&&(r.__u|=4))):$[s]=null;if(y){for(p=[],m=[],s=0;s<i;s++)if((r=$[s])&&16&r.__u){for(v=0,h=p.length;v<h;)p[d=v+h>>1]<r.__i?v=d+1:h=d;p[v]=r.__i,m[s]=v+1}for(v=p.length;s--;)m[s]&&(m[s]==v?v--:$[s].__u|=4)}if(T)for(s=0;s<g;s++)!(l=n[s])||2&l.__u||(l.__e==o&&(o=re(l)),wt(l,l));return o}function en(t,e,n,o){var i,s,r,l;if(typeof t.type=="function"){if(t.props.__P)return e;if(i=t.__k)for(s=0;s<i.length;s++)i[s]&&(i[s].__=t,e=en(i[s],e,n,!1));return e}for(e&&!e.parentNode&&(e=re(t))&&!e.parentNode&&(e=null),r=t.__e,l=e;l&&l.nodeType==8;)l=l.nextSibling;for(r!=l&&(!o&&n.moveBefore&&r.parentNode?n.moveBefore(r,e):n.insertBefore(r,e||null)),e=r;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function So(t,e,n,o){var i,s=t.key,r=t.type,l=e[n],u=l&&!(2&l.__u);if(l===null&&s==null||u&&s==l.key&&r==l.type)return n;if(o>(u?1:0)){for(i=n-1;i>=0;i--)if((l=e[i])&&!(2&l.__u)&&s==l.key&&r==l.type)return i;for(i=n+1;i<e.length;i++)if((l=e[i])&&!(2&l.__u)&&s==l.key&&r==l.type)return i}return-1}function Vt(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function qe(t,e,n,o,i){var s,r;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof o=="string"&&(t.style.cssText=o=""),o)for(e in o)n&&e in n||Vt(t.style,e);if(n)for(e in n)o&&n[e]==o[e]||Vt(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof o!="function"&&(o=null),(t.__e||(t.__e={}))[e]=n,n&&o||(r=mt[e]||(mt[e]=Eo(e)),(t.__a||(t.__a={}))[e]=_t,s=e!=(e=e.replace(Zt,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,r,s):t.removeEventListener(e,r,s));else{if(i=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function Eo(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[ze]==null)e[ze]=_t++;else if(e[ze]<this.__a[t])return;return n(b.event?b.event(e):e)}}}function bt(t,e,n,o,i,s,r,l,u,f){var p,m,h,d,g,T,v,y,$,P,M,ft,Ht,We,ie,Ft,ne,ae,X=e.type;if(e.constructor!==xe)return null;128&n.__u&&(u=32&n.__u,p=n.__c.__z)&&(e.__u|=u,m=s=[],p.nodeType==8?l=Ue(p,s):s.push(p),l=s[0]||l),(p=b.__b)&&p(e);e:if(typeof X=="function"){h=r.length;try{if(y=e.props,$=(p=X.prototype)&&p.render,P=(p=X.contextType)&&o[p.__c],M=p?P?P.props.value:p.__:o,(d=n.__c)?(e.__c=d,2&d.__g&&(d.__g|=1)):($?e.__c=d=new X(y,M):(e.__c=d=new me(y,M),d.constructor=X,d.render=Mo),P&&P.sub(d),d.state||(d.state={}),d.__n=o,d.__g|=8,d.__h=[],d.__k=[]),$&&(d.__s||(d.__s=d.state),X.getDerivedStateFromProps&&(d.__s==d.state&&(d.__s=ce({},d.__s)),ce(d.__s,X.getDerivedStateFromProps(y,d.__s)))),g=d.props,T=d.state,d.__v=e,n.__c){if(y!==g&&$&&!X.getDerivedStateFromProps&&d.componentWillReceiveProps&&d.componentWillReceiveProps(y,M),e.__v==n.__v&&!(8&d.__g)||!(4&d.__g)&&d.shouldComponentUpdate&&d.shouldComponentUpdate(y,d.__s,M)===!1){e.__v!=n.__v&&(d.props=y,d.state=d.__s,d.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(U){U&&(U.__=e)}),Fe.push.apply(d.__h,d.__k),d.__k=[],d.__h.length&&r.push(d),l=re(n);break e}d.componentWillUpdate&&d.componentWillUpdate(y,d.__s,M),$&&d.componentDidUpdate&&d.__h.push(function(){d.componentDidUpdate(g,T,v)})}else $&&!X.getDerivedStateFromProps&&d.componentWillMount&&d.componentWillMount(),$&&d.componentDidMount&&d.__h.push(d.componentDidMount);d.context=M,d.props=y,d.__P=t,d.__g&=-5,ft=b.__r,Ht=$?25:0;do d.__g&=-9,ft&&ft(e),p=d.render(d.props,d.state=d.__s,d.context);while(8&d.__g&&++Ht<25);$&&(Fe.push.apply(d.__h,d.__k),d.__k=[]),d.state=d.__s,d.getChildContext&&(o=ce({},o,d.getChildContext())),$&&n.__c&&d.getSnapshotBeforeUpdate&&(v=d.getSnapshotBeforeUpdate(g,T)),We=p&&p.type===ue&&p.key==null?p.props.children:p,y.__P&&(p=l,i=(t=y.__P).namespaceURI,u=s=null,n.props&&n.props.__P!=t&&(n.__k.some(function(U){U&&wt(U,U)}),n.__k=null),l=n.__k?re(n,0):null),l=Yt(t,$t(We)?We:[We],e,n,o,i,s,r,l,u,f),y.__P&&(e.__e=null,l=p),e.__u&=-161,m&&m.some(le),d.__h.length&&r.push(d),1&d.__g&&(d.__g&=-4)}catch(U){if(r.length=h,e.__v=null,u||s)if(U&&U.then){if(e.__u|=128|u,s){for(~(ne=s.indexOf(l||void 0))||(ne=s.length);(ae=s[ne-1])&&ae.nodeType==8;)ne--;for(;ne<s.length;ne++)if(ae=s[ne])if(s[ne]=null,ie){if(ae==Ft)break}else{if(ae.nodeType!=8)break;ae.data.startsWith("$s")&&(Ft=Ue(ie=ae))}}if(!ie){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;ie=l}(p=Ue(ie=e.__c.__z||(e.__c.__z=ie)))?(e.__e=ie,l=p):e.__e=l,l=l&&l.nextSibling}else s&&s.some(le);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),U&&U.then||tn(e),b.__e(U,e,n)}}else l=e.__e=To(n.__e,e,n,o,i,s,r,u,f,t);return(p=b.diffed)&&p(e),l}function Ue(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function tn(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(tn))}function nn(t,e,n){for(var o=0;o<n.length;)yt(n[o++],n[o++],n[o++]);b.__c&&b.__c(e,t),t.some(function(i){try{t=i.__h,i.__h=[],t.some(function(s){s.call(i)})}catch(s){b.__e(s,i.__v)}})}function To(t,e,n,o,i,s,r,l,u,f){var p,m,h,d,g,T,v,y,$=n.props||He,P=e.props,M=e.type;if(M=="svg"?i="http://www.w3.org/2000/svg":M=="math"?i="http://www.w3.org/1998/Math/MathML":i||(i="http://www.w3.org/1999/xhtml"),s){for(p=0;p<s.length;p++)if((g=s[p])&&(M?g.localName==M:g.nodeType==3)){t=g,s[p]=null;break}}if(!t){if(y=f.ownerDocument||document,!M)return y.createTextNode(P);t=y.createElementNS(i,M,P.is?P:f),l&&(b.__m&&b.__m(e,s),l=!1),s=null}if(M){if(f=M=="template"&&t.content||t,s=M=="textarea"&&P.defaultValue!=null?null:s&&vt.call(f.childNodes),!l&&s)for($={},p=0;p<t.attributes.length;p++)$[(g=t.attributes[p]).name]=g.value;for(p in $)g=$[p],p=="dangerouslySetInnerHTML"?h=g:p=="children"||p in P||p=="value"&&"defaultValue"in P||p=="checked"&&"defaultChecked"in P||qe(t,p,null,g,i);for(p in P)g=P[p],p=="children"?d=g:p=="dangerouslySetInnerHTML"?m=g:p=="value"?T=g:p=="checked"?v=g:l&&typeof g!="function"||$[p]===g||qe(t,p,g,$[p],i);m?(l||h&&(m.__html==h.__html||m.__html==t.innerHTML)||(t.innerHTML=m.__html),e.__k=[]):(h&&(t.textContent=""),(M=="foreignObject"||i=="http://www.w3.org/1998/Math/MathML"&&wo.test(M))&&(i="http://www.w3.org/1999/xhtml"),Yt(f,$t(d)?d:[d],e,n,o,i,s,r,s?s[0]:n.__k&&re(n,0),l,u),s&&s.some(le)),l&&M!="textarea"||(p="value",M=="progress"&&T==null?t.removeAttribute(p):T==null||T===t[p]&&(M!="progress"||T)||qe(t,p,T,$[p],i),p="checked",v!=null&&v!=t[p]&&qe(t,p,v,$[p],i))}else $===P||l&&t.data==P||(t.data=P);return t}function yt(t,e,n,o){try{typeof t=="function"?e?e.__x=t(e)||1:o&&(o=o.__c||o.__e)&&(e=o.__x)&&(o.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(i){b.__e(i,n)}}function wt(t,e,n){var o,i,s,r;if(b.unmount&&b.unmount(t),!(o=t.ref)||o.current&&o.current!=t.__e||yt(o,null,e,t),o=t.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(l){b.__e(l,e)}o.__P=o.__n=null}if(o=t.__k)for(r=0;r<o.length;r++)o[r]&&wt(o[r],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(o=t.__c)&&(o=o.__z)&&(i=Ue(o,s=[]))&&(o==t.__e&&s.some(le),le(i),le(o)),n||le(t.__e),t.__e=t.__c=t.__=null}function Mo(t,e,n){return this.constructor(t,n)}function on(t,e){var n,o,i,s;b.__&&b.__(t,e),e.nodeType==9&&(e=e.documentElement),o=(n=t&&32&t.__u)?null:e.__k,e.__k=ke(ue,{children:[t]}),i=[],s=[],bt(e,e.__k,o||He,He,e.namespaceURI,o?null:e.firstChild?vt.call(e.childNodes):null,i,o?o.__e:e.firstChild,n,s),nn(i,e.__k,s),e.__k.props.children=null}b={__e:function(t,e,n,o){for(var i,s,r;e=e.__;)if((i=e.__c)&&!(1&i.__g)){i.__g|=4;try{if((r=(s=i.constructor)&&s.getDerivedStateFromError)&&i.setState(s.getDerivedStateFromError(t)),i.componentDidCatch&&(i.componentDidCatch(t,o||{}),r=1),r&&8&i.__g)return void(i.__g|=2)}catch(l){t=l}}throw Ge=0,t}},Jt=0,gt=function(t){return t!=null&&t.constructor===xe},me.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=ce({},this.state)),typeof t=="function"&&(t=t(ce({},n),this.props)),t&&(ce(n,t),this.__v&&(e&&this.__k.push(e),Bt(this)))},me.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),Bt(this))},me.prototype.render=ue,oe=[],Ge=0,Kt=function(t,e){return t.__v.__b-e.__v.__b},ze=Symbol(),Zt=/(PointerCapture)$|Capture$/i,_t=0,mt={},yo=0;var Ee,L,kt,rn,xt=Object.is,Te=0,hn=[],St=[],j=b,sn=j.__b,an=j.__r,ln=j.diffed,cn=j.__c,un=j.unmount,dn=j.__;function Tt(t,e){j.__h&&j.__h(L,t,Te||e),Te=0;var n=L.__H||(L.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function _(t){return Te=1,Ao(_n,t)}function Ao(t,e,n){var o=Tt(Ee++,2);if(o.t=t,!o.__c&&(o.__=[n?n(e):_n(void 0,e),function(s){var r=(o.__N||o.__)[0],l=o.t(r,s);xt(r,l)||(o.__N=[l,o.__[1]],o.__c.setState({}))}],o.__c=L,!L.__f)){L.__f=!0;var i=L.shouldComponentUpdate;L.shouldComponentUpdate=function(s,r,l){var u=this.__H;if(!u)return!0;var f=!1,p=this.props!=s;if(u.__.some(function(h){h.__N&&(f=!0,xt(h.__[0],h.__N[0])||(p=!0))}),i){var m=i.call(this,s,r,l);return f?m||p:m}return!f||p}}return o.__}function V(t,e){var n=Tt(Ee++,3);!j.__s&&gn(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,L.__H.__h.push(n))}function G(t){return Te=5,Me(function(){return{current:t}},[])}function Me(t,e){var n=Tt(Ee++,7);return gn(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function mn(t,e){return Te=8,Me(function(){return t},e)}function Co(){var t;do{for(;t=St.shift();)try{Se(t)}catch(n){j.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=hn.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(Se),e.__h.some(Et),e.__h=[]}catch(n){e.__h=[],j.__e(n,t.__v)}}}while(St.length)}j.__b=function(t){L=null,sn&&sn(t)},j.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),dn&&dn(t,e)},j.__r=function(t){an&&an(t),Ee=0;var e=(L=t.__c).__H;e&&(kt==L?L.__h=[]:(e.__h.some(Se),e.__h.some(Et),Ee=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),kt=L},j.diffed=function(t){ln&&ln(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&fn(hn.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),kt=L=null},j.__c=function(t,e){e.some(function(n){try{n.__h.some(Se),n.__h=n.__h.filter(function(o){return!o.__||Et(o)})}catch(o){n.__h=[function(){throw o}]}}),cn&&cn(t,e)},j.unmount=function(t){un&&un(t);var e,n,o=t.__c;o&&o.__H&&(o.__H.__.some(function(i){try{if(i.__P&&i.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}i.__P=n,fn(St.push(i))}else Se(i)}catch(s){e=s}}),o.__H=void 0,e&&j.__e(e,o.__v))};var pn=typeof requestAnimationFrame=="function";function jo(t){var e,n=function(){clearTimeout(o),pn&&cancelAnimationFrame(e),setTimeout(t)},o=setTimeout(n,35);pn&&(e=requestAnimationFrame(n))}function fn(t){t!=1&&rn==j.requestAnimationFrame||((rn=j.requestAnimationFrame)||jo)(Co)}function Se(t){var e=L,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),L=e}function Et(t){var e=L;t.__c=t.__(),L=e}function gn(t,e){return!t||t.length!=e.length||e.some(function(n,o){return!xt(n,t[o])})}function _n(t,e){return typeof e=="function"?e(t):e}var No=Symbol.for("preact-signals");function Ze(){if(Y>1)Y--;else{var t,e=!1;for((function(){var i=Je;for(Je=void 0;i!==void 0;){var s=i.S;if(s.v===i.v)for(var r=s.t;r!==void 0;r=r.x)r.i===i.i&&(r.i=s.i);i=i.o}})();Ce!==void 0;){var n=Ce;for(Ce=void 0,Ve++;n!==void 0;){var o=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&vn(n))try{n.c()}catch(i){e||(t=i,e=!0)}n=o}}if(Ve=0,Y--,e)throw t}}function At(t){if(Y>0)return t();Mt=++Do,Y++;try{return t()}finally{Ze()}}var Ae,S=void 0;function je(t){var e=S,n=Ae;S=void 0,Ae=void 0;try{return t()}finally{S=e,Ae=n}}var Ce=void 0,Y=0,Ve=0,Do=0,Mt=0,Je=void 0,Ke=0;function $n(t){if(S!==void 0){var e=t.n;if(e===void 0||e.t!==S)return e={i:0,S:t,p:S.s,n:void 0,t:S,e:void 0,x:void 0,r:e},S.s!==void 0&&(S.s.n=e),S.s=e,t.n=e,32&S.f&&t.S(e),e;if(e.i===-1)return e.i=0,e.n!==void 0&&(e.n.p=e.p,e.p!==void 0&&(e.p.n=e.n),e.p=S.s,e.n=void 0,S.s.n=e,S.s=e),e}}function R(t,e){this.v=t,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=e?.watched,this.Z=e?.unwatched,this.name=e?.name}R.prototype.brand=No;R.prototype.h=function(){return!0};R.prototype.S=function(t){var e=this,n=this.t;n!==t&&t.e===void 0&&(t.x=n,this.t=t,n!==void 0?n.e=t:je(function(){var o;(o=e.W)==null||o.call(e)}))};R.prototype.U=function(t){var e=this;if(this.t!==void 0){var n=t.e,o=t.x;n!==void 0&&(n.x=o,t.e=void 0),o!==void 0&&(o.e=n,t.x=void 0),t===this.t&&(this.t=o,o===void 0&&je(function(){var i;(i=e.Z)==null||i.call(e)}))}};R.prototype.subscribe=function(t){var e=this;return q(function(){var n=e.value;je(function(){return t(n)})},{name:"sub"})};R.prototype.valueOf=function(){return this.value};R.prototype.toString=function(){return this.value+""};R.prototype.toJSON=function(){return this.value};R.prototype.peek=function(){var t=this;return je(function(){return t.value})};Object.defineProperty(R.prototype,"value",{get:function(){var t=$n(this);return t!==void 0&&(t.i=this.i),this.v},set:function(t){if(t!==this.v){if(Ve>100)throw new Error("Cycle detected");(function(n){Y!==0&&Ve===0&&n.l!==Mt&&(n.l=Mt,Je={S:n,v:n.v,i:n.i,o:Je})})(this),this.v=t,this.i++,Ke++,Y++;try{for(var e=this.t;e!==void 0;e=e.x)e.t.N()}finally{Ze()}}}});function E(t,e){return new R(t,e)}function vn(t){for(var e=t.s;e!==void 0;e=e.n)if(e.S.i!==e.i||!e.S.h()||e.S.i!==e.i)return!0;return!1}function bn(t){for(var e=t.s;e!==void 0;e=e.n){var n=e.S.n;if(n!==void 0&&(e.r=n),e.S.n=e,e.i=-1,e.n===void 0){t.s=e;break}}}function yn(t){for(var e=t.s,n=void 0;e!==void 0;){var o=e.p;e.i===-1?(e.S.U(e),o!==void 0&&(o.n=e.n),e.n!==void 0&&(e.n.p=o)):n=e,e.S.n=e.r,e.r!==void 0&&(e.r=void 0),e=o}t.s=n}function de(t,e){R.call(this,void 0,e),this.x=t,this.s=void 0,this.g=Ke-1,this.f=4}de.prototype=new R;de.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===Ke))return!0;if(this.g=Ke,this.f|=1,this.i>0&&!vn(this))return this.f&=-2,!0;var t=S;try{bn(this),S=this;var e=this.x();(16&this.f||this.v!==e||this.i===0)&&(this.v=e,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return S=t,yn(this),this.f&=-2,!0};de.prototype.S=function(t){if(this.t===void 0){this.f|=36;for(var e=this.s;e!==void 0;e=e.n)e.S.S(e)}R.prototype.S.call(this,t)};de.prototype.U=function(t){if(this.t!==void 0&&(R.prototype.U.call(this,t),this.t===void 0)){this.f&=-33;for(var e=this.s;e!==void 0;e=e.n)e.S.U(e)}};de.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var t=this.t;t!==void 0;t=t.x)t.t.N()}};Object.defineProperty(de.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var t=$n(this);if(this.h(),t!==void 0&&(t.i=this.i),16&this.f)throw this.v;return this.v}});function ge(t,e){return new de(t,e)}function wn(t){var e=t.j;if(t.j=void 0,typeof e=="function"){Y++;var n=S;S=void 0;try{e()}catch(o){throw t.f&=-2,t.f|=8,Ct(t),o}finally{S=n,Ze()}}}function Ct(t){for(var e=t.s;e!==void 0;e=e.n)e.S.U(e);t.x=void 0,t.s=void 0,wn(t)}function Oo(t){if(S!==this)throw new Error("Out-of-order effect");yn(this),S=t,this.f&=-2;try{8&this.f&&Ct(this)}finally{Ze()}}function _e(t,e){this.x=t,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=e?.name,Ae&&Ae.push(this)}_e.prototype.c=function(){var t=this.S();try{if(8&this.f||this.x===void 0)return;var e=this.x();typeof e=="function"&&(this.j=e)}finally{t()}};_e.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,wn(this),bn(this),Y++;var t=S;return S=this,Oo.bind(this,t)};_e.prototype.N=function(){2&this.f||(this.f|=2,this.u=Ce,Ce=this)};_e.prototype.d=function(){this.f|=8,1&this.f||Ct(this)};_e.prototype.dispose=function(){this.d()};function q(t,e){var n=new _e(t,e);try{n.c()}catch(i){throw n.d(),i}var o=n.d.bind(n);return o[Symbol.dispose]=o,o}var kn,Xe,Qe,Lo=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var xn=[];q(function(){kn=this.N})();function $e(t,e){b[t]=e.bind(null,b[t]||function(){})}function Ne(t){if(Qe){var e=Qe;Qe=void 0,e()}Qe=t&&t.S()}function Sn(t){var e=this,n=t.data,o=Po(n);o.name="ReactiveDom",o.value=n;var i=Me(function(){for(var l=e,u=e.__v;u=u.__;)if(u.__c){u.__c.__$f|=4;break}var f=ge(function(){var d=o.value.value;return d===0?0:d===!0?"":d||""}),p=ge(function(){return!Array.isArray(f.value)&&!gt(f.value)}),m=q(function(){if(this.N=En,p.value){var d=f.value;l.__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=d)}}),h=e.__$u.d;return e.__$u.d=function(){m(),h.call(this)},[p,f]},[]),s=i[0],r=i[1];return s.value?r.peek():r.value}Sn.displayName="ReactiveTextNode";Object.defineProperties(R.prototype,{constructor:{configurable:!0,value:Be(ue,null).constructor},type:{configurable:!0,value:Sn},props:{configurable:!0,get:function(){var t=this;return{data:{get value(){return t.value}}}}},__b:{configurable:!0,value:1}});$e("__b",function(t,e){if(Ne(),Xe=void 0,typeof e.type=="string"){var n,o=e.props;for(var i in o)if(i!=="children"){var s=o[i];s instanceof R&&(n||(e.__np=n={}),n[i]=s,o[i]=s.peek())}}t(e)});$e("__r",function(t,e){if(t(e),e.type!==ue){Ne();var n,o=e.__c;o&&(o.__$f&=-2,(n=o.__$u)===void 0&&(o.__$u=n=(function(i,s){var r;return q(function(){r=this},{name:s}),r.c=i,r})((function(i){return function(){var s;Lo&&((s=this.y)==null||s.call(this)),i.__$f|=1,i.setState({})}})(o),typeof e.type=="function"?e.type.displayName||e.type.name:""))),Xe=o,Ne(n)}});$e("__e",function(t,e,n,o){Ne(),Xe=void 0,t(e,n,o)});$e("diffed",function(t,e){Ne(),Xe=void 0;var n;if(typeof e.type=="string"&&(n=e.__e)){var o=e.__np,i=e.props,s=n.U;if(s)for(var r in s){var l=s[r];l===void 0||o&&r in o||(l.d(),s[r]=void 0)}if(o){s||(s={},n.U=s);for(var u in o){var f=s[u],p=o[u];f===void 0?(f=Ro(n,u,p,i),s[u]=f):f.o(p,i)}}}t(e)});function Ro(t,e,n,o){var i=e in t&&t.ownerSVGElement===void 0,s=E(n);return{o:function(r,l){s.value=r,o=l},d:q(function(){this.N=En;var r=s.value.value;o[e]!==r&&(o[e]=r,i?t[e]=r:r!=null&&(r!==!1||e[4]==="-")?t.setAttribute(e,r):t.removeAttribute(e))})}}$e("unmount",function(t,e){if(typeof e.type=="string"){var n=e.__e;if(n){var o=n.U;if(o){n.U=void 0;for(var i in o){var s=o[i];s&&s.d()}}}var r=e.__np;if(r){var l=e.props;for(var u in r)l[u]=r[u]}e.__np=void 0}else{var f=e.__c;if(f){f.__$f|=8;var p=f.__$u;p&&(f.__$u=void 0,p.d())}}t(e)});$e("__h",function(t,e,n,o){o<3&&(e.__$f|=2),t(e,n,o)});me.prototype.shouldComponentUpdate=function(t,e){if(this.__R)return!0;var n=this.__$u,o=n&&n.s!==void 0;for(var i in e)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var s=2&this.__$f;if(!(o||s||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var r in t)if(r!=="__source"&&t[r]!==this.props[r])return!0;for(var l in this.props)if(!(l in t))return!0;return!1};function Po(t,e){return Me(function(){return E(t,e)},[])}var Io=function(t){queueMicrotask(function(){queueMicrotask(t)})};function Wo(){At(function(){for(var t;t=xn.shift();)kn.call(t)})}function En(){xn.push(this)===1&&(b.requestAnimationFrame||Io)(Wo)}var Mn=function(t,e,n,o){var i;e[0]=0;for(var s=1;s<e.length;s++){var r=e[s++],l=e[s]?(e[0]|=r?1:2,n[e[s++]]):e[++s];r===3?o[0]=l:r===4?o[1]=Object.assign(o[1]||{},l):r===5?(o[1]=o[1]||{})[e[++s]]=l:r===6?o[1][e[++s]]+=l+"":r?(i=t.apply(l,Mn(t,l,n,["",null])),o.push(i),l[0]?e[0]|=2:(e[s-2]=0,e[s]=i)):o.push(l)}return o},Tn=new Map;function An(t){var e=Tn.get(this);return e||(e=new Map,Tn.set(this,e)),(e=Mn(this,e.get(t)||(e.set(t,e=(function(n){for(var o,i,s=1,r="",l="",u=[0],f=function(h){s===1&&(h||(r=r.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?u.push(0,h,r):s===3&&(h||r)?(u.push(3,h,r),s=2):s===2&&r==="..."&&h?u.push(4,h,0):s===2&&r&&!h?u.push(5,0,!0,r):s>=5&&((r||!h&&s===5)&&(u.push(s,0,r,i),s=6),h&&(u.push(s,h,0,i),s=6)),r=""},p=0;p<n.length;p++){p&&(s===1&&f(),f(p));for(var m=0;m<n[p].length;m++)o=n[p][m],s===1?o==="<"?(f(),u=[u],s=3):r+=o:s===4?r==="--"&&o===">"?(s=1,r=""):r=o+r[0]:l?o===l?l="":r+=o:o==='"'||o==="'"?l=o:o===">"?(f(),s=1):s&&(o==="="?(s=5,i=r,r=""):o==="/"&&(s<5||n[p][m+1]===">")?(f(),s===3&&(u=u[0]),s=u,(u=u[0]).push(2,0,s),s=0):o===" "||o==="	"||o===`
`||o==="\r"?(f(),s=2):r+=o),s===3&&r==="!--"&&(s=4,u=u[0])}return f(),u})(t)),e),arguments,[])).length>1?e:e[0]}var c=An.bind(Be);var N=E(void 0),jt=E(""),qo=/^#token=([\w-]+)$/;async function Cn(){let t=qo.exec(location.hash);if(t&&(history.replaceState(null,"",location.pathname+location.search),await Nt(t[1])))return;let e=await fetch("/ui/session").catch(()=>null);N.value=e?.ok?await e.json():null}async function Nt(t){let e={Authorization:`Bearer ${t}`},n=await fetch("/ui/session",{method:"POST",headers:e}).catch(()=>null),o=await n?.json().catch(()=>null);return jt.value=n?.ok?"":o?.detail??"",n?.ok&&(N.value=o),!!n?.ok}async function jn(){await fetch("/ui/session",{method:"DELETE",headers:{"X-CSRF-Token":N.value?.csrf??""}}).catch(()=>null),N.value=null}var se=E("idle"),Nn="events",Ot=500,zo=1e4,Uo=4401,pe=new Map,Dt=new Set,H=null,Ye="",Go=0,De=Ot,Lt=0;function et(){clearTimeout(Lt),!(!N.value||H)&&(se.value=se.value==="lost"?"lost":"connecting",H=new WebSocket(`${location.protocol==="https:"?"wss:":"ws:"}//${location.host}/v1/socket`),H.onopen=()=>H?.send(JSON.stringify({type:"auth",csrf:N.value?.csrf??""})),H.onmessage=({data:t})=>Fo(JSON.parse(t)),H.onclose=({code:t})=>Ho(t))}function Ho(t){H=null;for(let[e,{reject:n}]of pe)pe.delete(e),n(new Error("lost"));if(t===Uo&&(N.value=null),!N.value){se.value="idle";return}se.value="lost",Lt=setTimeout(et,De*(.5+Math.random()/2)),De=Math.min(De*2,zo)}function Fo(t){if(t.type==="auth-ok"){De=Ot,se.value="open";let n=Ye?{after:Ye}:{};H.send(JSON.stringify({id:Nn,service:"events",request:{operation:"subscribe",...n}}));for(let{frame:o}of pe.values())H.send(o);return}if(t.type==="auth-failed"){N.value=null;return}if(t.id===Nn){t.response?.cursor&&(Ye=t.response.cursor),t.response?.kind&&Bo(t.response);return}let e=pe.get(t.id);if(e){if(t.error){pe.delete(t.id),e.reject(new Error(t.error.message));return}e.take(t.response),t.complete&&(pe.delete(t.id),e.resolve())}}function Bo(t){for(let e of Dt)(t.kind==="lost"||e.kinds.some(n=>t.kind.startsWith(n)))&&e.take(t)}function Dn(t,e){let n=`q${Go+=1}`,o=JSON.stringify({id:n,service:"agent",request:t});return new Promise((i,s)=>{pe.set(n,{frame:o,take:e,resolve:i,reject:s}),se.value==="open"?H.send(o):et()})}function tt(t,e){let n={kinds:t,take:e};return Dt.add(n),()=>Dt.delete(n)}q(()=>{N.value?et():(clearTimeout(Lt),Ye="",H?.close())});addEventListener("online",()=>{De=Ot,et()});var nt=class extends Error{constructor(e,n){super(n),this.status=e}};async function Oe(t,e,{query:n={},body:o,headers:i={},signal:s}={}){let r=Object.entries(n).filter(([,p])=>p!==""&&p!==void 0&&p!==null),l=r.length?`${e}?${new URLSearchParams(r)}`:e,u=await fetch(l,{method:t,signal:s,headers:{...o===void 0?{}:{"Content-Type":"application/json"},...t==="GET"?{}:{"X-CSRF-Token":N.value?.csrf??""},...i},body:o===void 0?void 0:JSON.stringify(o)}).catch(p=>{throw p.name==="AbortError"?p:new nt(0,"")}),f=await u.json().catch(()=>null);if(u.status===401&&(N.value=null),!u.ok)throw new nt(u.status,f?.detail??u.statusText);return f}var w=(t,e,n)=>Oe("GET",t,{query:e,...n}),J=(t,e={},n)=>Oe("POST",t,{body:e,...n}),ot=(t,e,n)=>Oe("PUT",t,{body:e,...n}),On=(t,e,n)=>Oe("PATCH",t,{body:e,...n}),ee=(t,e,n)=>Oe("DELETE",t,{query:e,...n});var Rt={"shell.skip":{en:"Skip to the content",de:"Zum Inhalt springen"},"shell.menu":{en:"Menu",de:"Menü"},"shell.panes":{en:"Panes",de:"Bereiche"},"shell.language":{en:"Language",de:"Sprache"},"shell.theme":{en:"Colours",de:"Farben"},"shell.sign_out":{en:"Sign out",de:"Abmelden"},"shell.all_collections":{en:"all collections",de:"alle Sammlungen"},"theme.system":{en:"As the system",de:"Wie das System"},"theme.light":{en:"Light",de:"Hell"},"theme.dark":{en:"Dark",de:"Dunkel"},"sign_in.title":{en:"Sign in",de:"Anmelden"},"sign_in.command":{en:"This command opens the page and signs you in:",de:"Dieser Befehl öffnet die Seite und meldet Sie an:"},"sign_in.key":{en:"Or a user key",de:"Oder ein Schlüssel eines Benutzers"},"sign_in.submit":{en:"Sign in",de:"Anmelden"},"state.loading":{en:"Loading",de:"Wird geladen"},"state.failed":{en:"That did not work.",de:"Das hat nicht funktioniert."},"state.unreachable":{en:"The server does not answer. It may have stopped: start it with react-mem up.",de:"Der Server antwortet nicht. Vielleicht läuft er nicht mehr: react-mem up startet ihn."},"state.connection_lost":{en:"The connection is lost. The page connects again by itself.",de:"Die Verbindung ist unterbrochen. Die Seite verbindet sich von selbst wieder."},"state.no_page":{en:"Page not found",de:"Seite nicht gefunden"},"state.no_page_text":{en:"Choose a pane in the menu.",de:"Wählen Sie einen Bereich im Menü."},"action.retry":{en:"Try again",de:"Noch einmal"},"action.cancel":{en:"Cancel",de:"Abbrechen"},"action.undo":{en:"Undo",de:"Rückgängig"},"confirm.type":{en:"Type {word} to confirm",de:"Zur Bestätigung {word} eingeben"},"pane.ask":{en:"Ask",de:"Fragen"},"pane.memories":{en:"Memories",de:"Erinnerungen"},"pane.recall":{en:"Recall debugger",de:"Abruf untersuchen"},"kind.turn":{en:"turn",de:"Äußerung"},"kind.semantic":{en:"fact",de:"Fakt"},"kind.procedural":{en:"rule",de:"Regel"},"kind.reflective":{en:"insight",de:"Einsicht"},"kind.topic":{en:"topic",de:"Thema"},"status.active":{en:"active",de:"aktiv"},"status.superseded":{en:"superseded",de:"überholt"},"status.quarantined":{en:"held back",de:"zurückgehalten"},"status.undone":{en:"undone",de:"rückgängig"},"status.pending":{en:"waiting",de:"wartet"},"status.queued":{en:"waiting",de:"wartet"},"status.deferred":{en:"waiting for the model",de:"wartet auf das Modell"},"status.running":{en:"running",de:"läuft"},"status.succeeded":{en:"done",de:"fertig"},"status.failed":{en:"failed",de:"fehlgeschlagen"},"status.cancelled":{en:"cancelled",de:"abgebrochen"},"step.thought":{en:"Thought",de:"Gedanke"},"step.action":{en:"Action",de:"Aktion"},"step.observation":{en:"Observation",de:"Beobachtung"},"job.record":{en:"record",de:"Aufzeichnung"},"job.extract":{en:"extraction",de:"Auswertung"},"job.forget":{en:"erasure",de:"Löschung"},"pane.conversations":{en:"Conversations",de:"Gespräche"},"pane.rules":{en:"Rules and profile",de:"Regeln und Profil"},"pane.jobs":{en:"Jobs",de:"Aufträge"},"pane.learning":{en:"Learning",de:"Lernen"},"pane.erasures":{en:"Erasures",de:"Löschungen"},"pane.graph":{en:"Neighbourhood",de:"Umgebung"},"pane.settings":{en:"Settings",de:"Einstellungen"},"pane.health":{en:"Health",de:"Zustand"},"action.forget":{en:"Erase",de:"Löschen"},"action.edit":{en:"Edit",de:"Bearbeiten"},"action.save":{en:"Save",de:"Speichern"},"list.shown":{en:{one:"{n} shown",other:"{n} shown"},de:{one:"{n} gezeigt",other:"{n} gezeigt"}},"list.more":{en:"Show more",de:"Mehr zeigen"},"list.or_more":{en:"{n} or more",de:"{n} oder mehr"},"chart.table":{en:"As a table",de:"Als Tabelle"},"chart.turn":{en:"Turn",de:"Runde"},"conversations.lead":{en:"What was said, and what was learned from it.",de:"Was gesagt wurde, und was daraus gelernt wurde."},"conversations.views":{en:"Views",de:"Ansichten"},"conversations.list":{en:"Conversations",de:"Gespräche"},"conversations.episodes":{en:"Episodes",de:"Episoden"},"conversations.empty":{en:"No conversation yet",de:"Noch kein Gespräch"},"conversations.empty_text":{en:"Ask something here, or begin one in a terminal:",de:"Fragen Sie hier etwas, oder beginnen Sie eines im Terminal:"},"conversations.exchanges":{en:{one:"{n} exchange",other:"{n} exchanges"},de:{one:"{n} Wortwechsel",other:"{n} Wortwechsel"}},"conversations.ended":{en:"ended",de:"beendet"},"conversations.open":{en:"open",de:"offen"},"conversations.one":{en:"Conversation",de:"Gespräch"},"conversations.back":{en:"All conversations",de:"Alle Gespräche"},"conversations.learned":{en:{one:"{n} memory from it",other:"{n} memories from it"},de:{one:"{n} Erinnerung daraus",other:"{n} Erinnerungen daraus"}},"conversations.memories":{en:"What was remembered from it",de:"Was daraus behalten wurde"},"conversations.end":{en:"End the conversation",de:"Gespräch beenden"},"conversations.end_text":{en:"What follows from it is learned now. A later question begins a new conversation.",de:"Was daraus folgt, wird jetzt gelernt. Eine spätere Frage beginnt ein neues Gespräch."},"conversations.now_ended":{en:"The conversation is ended. Learning from it begins.",de:"Das Gespräch ist beendet. Jetzt wird daraus gelernt."},"conversations.forget":{en:"Erase the conversation",de:"Gespräch löschen"},"conversations.forget_text":{en:"This erases for good, with everything derived from it: exchanges: {exchanges}, memories: {memories}.",de:"Das löscht endgültig, mit allem, was davon abgeleitet ist: Wortwechsel: {exchanges}, Erinnerungen: {memories}."},"conversations.forgotten":{en:"The conversation is erased.",de:"Das Gespräch ist gelöscht."},"episodes.empty":{en:"No episode yet",de:"Noch keine Episode"},"episodes.empty_text":{en:"An episode is a task with its steps and outcome. The agent keeps one when it has solved a task with tools.",de:"Eine Episode ist eine Aufgabe mit Schritten und Ergebnis. Der Agent behält eine, wenn er eine Aufgabe mit Werkzeugen gelöst hat."},"episodes.succeeded":{en:"succeeded",de:"gelungen"},"episodes.failed":{en:"failed",de:"misslungen"},"episodes.conversation":{en:"Conversation",de:"Gespräch"},"episodes.lessons":{en:"Lessons:",de:"Lehren:"},"episodes.steps":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"episodes.forget":{en:"Erase the episode",de:"Episode löschen"},"episodes.forget_text":{en:"This erases the episode for good.",de:"Das löscht die Episode endgültig."},"episodes.forgotten":{en:"The episode is erased.",de:"Die Episode ist gelöscht."},"rules.lead":{en:"What the agent follows in each answer, and its summary of you.",de:"Woran sich der Agent in jeder Antwort hält, und seine Zusammenfassung über Sie."},"rules.add":{en:"Add a rule",de:"Regel hinzufügen"},"rules.edit":{en:"Edit the rule",de:"Regel bearbeiten"},"rules.empty":{en:"No rule yet",de:"Noch keine Regel"},"rules.empty_text":{en:"Tell the agent what it should always or never do, or add a rule here.",de:"Sagen Sie dem Agenten, was er immer oder nie tun soll, oder fügen Sie hier eine Regel hinzu."},"rules.when":{en:"When: {condition}",de:"Wenn: {condition}"},"rules.history":{en:"History",de:"Verlauf"},"rules.condition":{en:"When it applies (empty: always)",de:"Wann sie gilt (leer: immer)"},"rules.action":{en:"What to do",de:"Was zu tun ist"},"rules.saved":{en:"The rule is saved.",de:"Die Regel ist gespeichert."},"rules.forget":{en:"Erase the rule",de:"Regel löschen"},"rules.forget_text":{en:"This erases the rule for good.",de:"Das löscht die Regel endgültig."},"rules.forgotten":{en:"The rule is erased.",de:"Die Regel ist gelöscht."},"rules.profile":{en:"Profile",de:"Profil"},"rules.no_profile":{en:"There is no profile. The setting enable-profile makes one when a conversation ends.",de:"Es gibt kein Profil. Mit der Einstellung enable-profile entsteht eines am Ende eines Gesprächs."},"jobs.lead":{en:"What runs in the background, what waits, and what failed.",de:"Was im Hintergrund läuft, was wartet und was fehlgeschlagen ist."},"jobs.filter":{en:"State",de:"Stand"},"jobs.all":{en:"all",de:"alle"},"jobs.empty":{en:"No job",de:"Kein Auftrag"},"jobs.empty_text":{en:"Jobs follow each answer: they record it and learn from it.",de:"Aufträge folgen auf jede Antwort: Sie zeichnen sie auf und lernen daraus."},"jobs.attempt":{en:"attempt {n}",de:"Versuch {n}"},"jobs.retry":{en:"Run again",de:"Noch einmal ausführen"},"jobs.retry_done":{en:"The job runs again.",de:"Der Auftrag läuft noch einmal."},"jobs.cancel":{en:"Cancel the job",de:"Auftrag abbrechen"},"jobs.cancel_done":{en:"The job is cancelled.",de:"Der Auftrag ist abgebrochen."},"jobs.drop":{en:"Drop the job",de:"Auftrag verwerfen"},"jobs.drop_text":{en:"The job ({kind}) is discarded with what it was to work on. Memories stay.",de:"Der Auftrag ({kind}) wird verworfen, mit dem, was er bearbeiten sollte. Erinnerungen bleiben."},"jobs.dropped":{en:"The job is dropped.",de:"Der Auftrag ist verworfen."},"jobs.embedding":{en:"The embedding model is being changed: {scopes} scopes with {records} records remain.",de:"Das Einbettungsmodell wird gewechselt: {scopes} Bereiche mit {records} Einträgen stehen aus."},"job.reward":{en:"learning",de:"Lernen"},"job.reembed":{en:"embedding",de:"Einbettung"},"job.profile":{en:"profile",de:"Profil"},"job.reflect":{en:"reflection",de:"Reflexion"},"job.consolidate":{en:"consolidation",de:"Zusammenführung"},"job.compact":{en:"summary",de:"Zusammenfassung"},"learning.lead":{en:"The ranking learns from which memories an answer cites.",de:"Die Reihenfolge lernt daraus, welche Erinnerungen eine Antwort nennt."},"learning.empty":{en:"Nothing learned yet",de:"Noch nichts gelernt"},"learning.empty_text":{en:"The ranking learns when an answer cites its memories.",de:"Die Reihenfolge lernt, wenn eine Antwort ihre Erinnerungen nennt."},"learning.early":{en:"It is too early to say whether learning helps: of {needed} answers needed in which the learned order and that of retrieval differ, there are {won} won and {lost} lost.",de:"Ob das Lernen hilft, ist noch nicht zu sagen: Nötig sind {needed} Antworten, in denen sich die gelernte Reihenfolge unterscheidet; {won} waren besser, {lost} schlechter."},"learning.helps":{en:"Learning helps: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.no_help":{en:"Learning does not help so far: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft bisher nicht: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.off":{en:"Nothing was learned from the last answer: a setting switches it off here.",de:"Aus der letzten Antwort wurde nichts gelernt: Eine Einstellung schaltet das hier ab."},"learning.turns":{en:{one:"answer",other:"answers"},de:{one:"Antwort",other:"Antworten"}},"learning.updates":{en:"updates",de:"Anpassungen"},"learning.trust":{en:"trust in the learned order",de:"Vertrauen in die gelernte Reihenfolge"},"learning.citations":{en:"Citations",de:"Nennungen"},"learning.rewards":{en:"Reward",de:"Belohnung"},"learning.weights":{en:"Weights in time",de:"Gewichte im Lauf der Zeit"},"learning.citation_rate":{en:"citation rate",de:"Anteil der Genannten"},"learning.mrr_shown":{en:"reciprocal rank of the first cited",de:"Kehrwert des Rangs der ersten Genannten"},"learning.reward":{en:"reward",de:"Belohnung"},"learning.weight_norm":{en:"weight norm",de:"Norm der Gewichte"},"learning.means":{en:"Citation rate, rank and reward are means of {n} turns.",de:"Anteil, Rang und Belohnung sind Mittel über {n} Runden."},"learning.features":{en:"Learned weights",de:"Gelernte Gewichte"},"erasures.lead":{en:"Whether memory is used, what is erased, and the proof that it is gone.",de:"Ob Erinnerungen benutzt werden, was gelöscht wird, und der Nachweis, dass es fort ist."},"erasures.switches":{en:"Use of memory",de:"Gebrauch der Erinnerung"},"erasures.read":{en:"Recall",de:"Abrufen"},"erasures.read_text":{en:"Answers may rest on what was remembered. Off: nothing is shown or recalled.",de:"Antworten dürfen auf Erinnerungen beruhen. Aus: Nichts wird gezeigt oder abgerufen."},"erasures.write":{en:"Record",de:"Aufzeichnen"},"erasures.write_text":{en:"What you say is remembered. Off: nothing new is stored.",de:"Was Sie sagen, wird behalten. Aus: Nichts Neues wird gespeichert."},"erasures.read_on":{en:"Recall is on.",de:"Abrufen ist an."},"erasures.read_off":{en:"Recall is off.",de:"Abrufen ist aus."},"erasures.write_on":{en:"Recording is on.",de:"Aufzeichnen ist an."},"erasures.write_off":{en:"Recording is off.",de:"Aufzeichnen ist aus."},"erasures.all":{en:"Erase everything",de:"Alles löschen"},"erasures.all_text":{en:"Single memories and conversations are erased in their own panes.",de:"Einzelne Erinnerungen und Gespräche werden in ihren Bereichen gelöscht."},"erasures.collection":{en:"Erase the collection {name}",de:"Sammlung {name} löschen"},"erasures.user":{en:"Erase all collections of {name}",de:"Alle Sammlungen von {name} löschen"},"erasures.for_good":{en:"This erases for good. An undo does not bring it back.",de:"Das löscht endgültig. Kein Rückgängig bringt es wieder."},"erasures.episodes":{en:"episodes",de:"Episoden"},"erasures.conversations":{en:"conversations",de:"Gespräche"},"erasures.done":{en:"Erased. The receipt is below.",de:"Gelöscht. Die Quittung steht unten."},"erasures.receipts":{en:"Receipts",de:"Quittungen"},"erasures.empty":{en:"Nothing was erased yet",de:"Noch nichts gelöscht"},"erasures.empty_text":{en:"Each erasure leaves a receipt: what was found, removed and left in each store. It holds numbers and no text.",de:"Jede Löschung hinterlässt eine Quittung: was in jedem Speicher gefunden, entfernt und übrig ist. Sie enthält Zahlen und keinen Text."},"receipt.show":{en:"Show the receipt",de:"Quittung zeigen"},"receipt.complete":{en:"complete",de:"vollständig"},"receipt.incomplete":{en:"not complete",de:"nicht vollständig"},"receipt.removed":{en:{one:"{n} entry removed",other:"{n} entries removed"},de:{one:"{n} Eintrag entfernt",other:"{n} Einträge entfernt"}},"receipt.details":{en:"Places",de:"Orte"},"receipt.place":{en:"Place",de:"Ort"},"receipt.found":{en:"Found",de:"Gefunden"},"receipt.removed_short":{en:"Removed",de:"Entfernt"},"receipt.left":{en:"Left",de:"Übrig"},"receipt.files":{en:"Files: {state}",de:"Dateien: {state}"},"receipt.save":{en:"Save as a file",de:"Als Datei speichern"},"level.record":{en:"Memory",de:"Erinnerung"},"level.conversation":{en:"Conversation",de:"Gespräch"},"level.collection":{en:"Collection",de:"Sammlung"},"level.user":{en:"User",de:"Benutzer"},"level.workspace":{en:"Workspace",de:"Arbeitsbereich"},"graph.lead":{en:"What one memory was derived from, replaced, was said with, and is similar to.",de:"Woraus eine Erinnerung abgeleitet ist, was sie ersetzt, womit sie gesagt wurde und was ihr ähnelt."},"graph.empty":{en:"Choose a memory",de:"Wählen Sie eine Erinnerung"},"graph.empty_text":{en:"Search for one above.",de:"Suchen Sie oben eine."},"graph.search":{en:"Search memories",de:"Erinnerungen suchen"},"graph.find":{en:"Search",de:"Suchen"},"graph.results":{en:"Found memories",de:"Gefundene Erinnerungen"},"graph.none":{en:"Nothing was found.",de:"Nichts gefunden."},"graph.picture":{en:{one:"Picture of the memory and {n} neighbour; the list has the same.",other:"Picture of the memory and its {n} neighbours; the list has the same."},de:{one:"Bild der Erinnerung mit {n} Nachbarn; die Liste enthält dasselbe.",other:"Bild der Erinnerung mit {n} Nachbarn; die Liste enthält dasselbe."}},"graph.open":{en:"Open the memory",de:"Erinnerung öffnen"},"graph.conversation":{en:"Conversation",de:"Gespräch"},"graph.alone":{en:"It has no neighbour.",de:"Sie hat keine Nachbarn."},"graph.left_out":{en:{one:"{n} more connection is not shown.",other:"{n} more connections are not shown."},de:{one:"{n} weitere Verbindung ist nicht gezeigt.",other:"{n} weitere Verbindungen sind nicht gezeigt."}},"relation.replaced_by":{en:"Replaces or replaced by",de:"Ersetzt oder ersetzt durch"},"relation.derived_from":{en:"Derived",de:"Abgeleitet"},"relation.about_the_same":{en:"About the same",de:"Über dasselbe"},"relation.similar":{en:"Similar",de:"Ähnlich"},"relation.said_in":{en:"Same conversation",de:"Gleiches Gespräch"},"settings.lead":{en:"They hold for everyone who uses this flow. Each value is checked as you change it.",de:"Sie gelten für alle, die diesen Ablauf benutzen. Jeder Wert wird beim Ändern geprüft."},"settings.filter":{en:"Search settings",de:"Einstellungen suchen"},"settings.none":{en:"No setting has these words.",de:"Keine Einstellung enthält diese Wörter."},"settings.default":{en:"Default: {value}.",de:"Vorgabe: {value}."},"settings.range":{en:"From {low} to {high}.",de:"Von {low} bis {high}."},"settings.set":{en:"Set here.",de:"Hier gesetzt."},"settings.true":{en:"on",de:"an"},"settings.false":{en:"off",de:"aus"},"settings.empty":{en:"(empty)",de:"(leer)"},"settings.not_json":{en:"This is not a value of this setting: write a number, or JSON.",de:"Das ist kein Wert dieser Einstellung: Schreiben Sie eine Zahl oder JSON."},"settings.discard":{en:"Discard changes",de:"Änderungen verwerfen"},"settings.save":{en:{one:"Save {n} change",other:"Save {n} changes"},de:{one:"{n} Änderung speichern",other:"{n} Änderungen speichern"}},"settings.for_all":{en:"These changes hold for everyone who uses this flow.",de:"Diese Änderungen gelten für alle, die diesen Ablauf benutzen."},"settings.key":{en:"Admin key",de:"Schlüssel eines Verwalters"},"settings.key_text":{en:"It is used once and not kept. This command makes one:",de:"Er wird einmal benutzt und nicht behalten. Dieser Befehl erzeugt einen:"},"settings.saved":{en:"The settings are saved.",de:"Die Einstellungen sind gespeichert."},"health.lead":{en:"Whether every part answers, what is stored, and who has a key.",de:"Ob jeder Teil antwortet, was gespeichert ist und wer einen Schlüssel hat."},"health.again":{en:"Check again",de:"Noch einmal prüfen"},"health.parts":{en:"Parts",de:"Teile"},"health.ready":{en:"ready",de:"bereit"},"health.not_ready":{en:"not ready",de:"nicht bereit"},"health.ok":{en:"ok",de:"in Ordnung"},"health.versions":{en:"Versions",de:"Versionen"},"health.embedding":{en:"Embedding model",de:"Einbettungsmodell"},"health.stored":{en:"Stored",de:"Gespeichert"},"kind.vectors":{en:"vectors",de:"Vektoren"},"stored.conversations":{en:"conversations",de:"Gespräche"},"stored.invocations":{en:"exchanges",de:"Wortwechsel"},"health.keys":{en:"Your keys",de:"Ihre Schlüssel"},"health.no_keys":{en:"There is none. A program needs one; this command makes it:",de:"Es gibt keinen. Ein Programm braucht einen; dieser Befehl erzeugt ihn:"},"health.key":{en:"Key",de:"Schlüssel"},"health.label":{en:"Label",de:"Bezeichnung"},"health.reach":{en:"Collections",de:"Sammlungen"},"health.made":{en:"Made",de:"Erstellt"},"health.used":{en:"Last used",de:"Zuletzt benutzt"},"health.never":{en:"never",de:"nie"},"health.state":{en:"State",de:"Stand"},"health.valid":{en:"valid",de:"gültig"},"health.reads":{en:"reads only",de:"nur lesend"},"health.revoked":{en:"revoked",de:"gesperrt"},"ask.lead":{en:"Each answer shows what was recalled for it, and why.",de:"Zu jeder Antwort steht, woran sich der Agent dafür erinnert hat, und warum."},"ask.new":{en:"New conversation",de:"Neues Gespräch"},"ask.empty":{en:"Tell it something, or ask",de:"Erzählen oder fragen Sie etwas"},"ask.empty_text":{en:"What you say is remembered and comes back when it matters, in this conversation and in later ones.",de:"Was Sie sagen, wird behalten und kommt wieder, wenn es zählt: in diesem Gespräch und in späteren."},"ask.question":{en:"Your question",de:"Ihre Frage"},"ask.placeholder":{en:"Ask, or say something to remember",de:"Fragen, oder etwas Merkenswertes sagen"},"ask.send":{en:"Send",de:"Senden"},"ask.recalling":{en:"Recalling …",de:"Erinnert sich …"},"ask.answering":{en:"Answering …",de:"Antwortet …"},"ask.lost":{en:"The connection was lost during the answer. The turn is finished and recorded all the same: see the conversation.",de:"Die Verbindung brach während der Antwort ab. Der Agent beantwortet die Frage trotzdem und zeichnet sie auf: siehe das Gespräch."},"ask.recalled":{en:{one:"{n} memory recalled",other:"{n} memories recalled"},de:{one:"{n} Erinnerung abgerufen",other:"{n} Erinnerungen abgerufen"}},"ask.nothing_recalled":{en:"Nothing was recalled.",de:"Es wurde nichts abgerufen."},"ask.gate":{en:"Nothing was searched for ({reason}).",de:"Es wurde nicht gesucht ({reason})."},"ask.missing":{en:"Without {part}: {reason}",de:"Ohne {part}: {reason}"},"ask.rests":{en:{one:"rests on {n} memory",other:"rests on {n} memories"},de:{one:"beruht auf {n} Erinnerung",other:"beruht auf {n} Erinnerungen"}},"ask.rests_on_none":{en:"cites no memory",de:"nennt keine Erinnerung"},"ask.useful":{en:"The cited memories were useful",de:"Die genannten Erinnerungen waren nützlich"},"ask.useless":{en:"The cited memories were not useful",de:"Die genannten Erinnerungen waren nicht nützlich"},"ask.rated":{en:{one:"Noted for {n} memory. The ranking learns from it.",other:"Noted for {n} memories. The ranking learns from it."},de:{one:"Notiert für {n} Erinnerung. Die Reihenfolge lernt daraus.",other:"Notiert für {n} Erinnerungen. Die Reihenfolge lernt daraus."}},"ask.score":{en:"score {score}",de:"Wertung {score}"},"ask.rank_before":{en:"rank {rank} before learning",de:"vor dem Lernen Rang {rank}"},"ask.cited":{en:"cited",de:"genannt"},"ask.thoughts":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"ask.jobs":{en:"What follows in the background",de:"Was im Hintergrund folgt"}};var rt={en:"English",de:"Deutsch"},Ln="react-mem-language";function Jo(){let t=localStorage.getItem(Ln);return t in rt?t:navigator.languages.map(e=>e.slice(0,2)).find(e=>e in rt)??"en"}var z=E(Jo());function Rn(t){localStorage.setItem(Ln,t),z.value=t}function a(t,e={}){let n=Rt[t]?.[z.value];return n===void 0?t:(typeof n=="string"?n:n[new Intl.PluralRules(z.value).select(e.n)]??n.other).replace(/\{(\w+)\}/g,(i,s)=>s in e?Ko(e[s]):i)}function Ko(t){return typeof t=="number"?t.toLocaleString(z.value):String(t)}var A=(t,e)=>Rt[`${t}.${e}`]?a(`${t}.${e}`):e;function F({tone:t="",children:e}){return c`<span class=${`badge ${t}`}>${e}</span>`}var ve=({kind:t})=>c`<${F} tone=${`kind-${t}`}>${A("kind",t)}<//>`,Zo={active:"good",succeeded:"good",running:"warm",pending:"warm",quarantined:"warm",failed:"bad"},be=({status:t})=>c`<${F} tone=${Zo[t]??""}>${A("status",t)}<//>`;function Qo(t){return Object.entries(t??{}).map(([n,o])=>({name:n,value:Number(o)})).filter(n=>Math.abs(n.value)>=.005).sort((n,o)=>Math.abs(o.value)-Math.abs(n.value))}function st({why:t,most:e,limit:n=20}){let o=Qo(t).slice(0,n),i=e??Math.max(.01,...o.map(s=>Math.abs(s.value)));return c`<ul class="bars">
    ${o.map(({name:s,value:r})=>{let l=Math.min(1,Math.abs(r)/i)*50,u=r<0?{left:`${50-l}%`,width:`${l}%`}:{left:"50%",width:`${l}%`};return c`<li>
        <span class="bar-name">${A("feature",s)}</span>
        <span class="bar-track" aria-hidden="true"><span class=${r<0?"bar minus":"bar"} style=${u}></span></span>
        <span class="bar-value">${r>0?"+":"−"}${Math.abs(r).toFixed(2)}</span>
      </li>`})}
  </ul>`}function Re({title:t,close:e,wide:n=!1,children:o}){let i=G(null);return V(()=>(i.current.showModal(),()=>i.current?.close()),[]),c`<dialog ref=${i} class=${n?"dialog dialog-wide":"dialog"} aria-labelledby="dialog-title" onClose=${e}>
    <h2 id="dialog-title">${t}</h2>
    ${o}
  </dialog>`}function K({title:t,children:e,label:n,typed:o="",act:i,done:s,close:r}){let[l,u]=_({busy:!1,error:""}),[f,p]=_("");return c`<${Re} title=${t} close=${r}>
    <form onSubmit=${async h=>{h.preventDefault(),u({busy:!0,error:""});try{let d=await i();r(),s?.(d)}catch(d){u({busy:!1,error:d.message||a("state.unreachable")})}}}>
      ${e}
      ${o&&c`<label class="field">
        <span>${a("confirm.type",{word:o})}</span>
        <input value=${f} onInput=${h=>p(h.target.value)} autocomplete="off" />
      </label>`}
      ${l.error&&c`<p class="error" role="alert">${l.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${r}>${a("action.cancel")}</button>
        <button type="submit" class="button danger" disabled=${l.busy||o&&f!==o}>${n}</button>
      </div>
    </form>
  <//>`}var Le=E([]),Xo=6e3;function C(t,e){let n={text:t,action:e};Le.value=[...Le.value,n].slice(-3),setTimeout(()=>Pn(n),Xo)}var Pn=t=>{Le.value=Le.value.filter(e=>e!==t)};function In(){return c`<div class="notices" role="status">
    ${Le.value.map(t=>c`<div class="notice">
        <span>${t.text}</span>
        ${t.action&&c`<button
          type="button"
          class="button quiet"
          onClick=${()=>{Pn(t),t.action.act()}}
        >
          ${t.action.label}
        </button>`}
      </div>`)}
  </div>`}var Yo={ask:"M4 5h16v11H9l-5 4z",memories:"M5 4h11l3 3v13H5zM9 11h6M9 15h6",recall:"M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 21 21M8 10.5h5M10.5 8v5",conversations:"M4 5h12v8H8l-4 3zM9 16h7l4 3v-9h-2",rules:"M5 6h14M5 12h14M5 18h9M3 6h0M3 12h0M3 18h0",jobs:"M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",learning:"M4 19V5M4 19h16M7 15l4-5 3 3 5-7",erasures:"M6 7h12M9 7V4h6v3M8 7l1 13h6l1-13",graph:"M6 8a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM18 12a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM9 20a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM8 7l8 2.5M7 8l1.5 8M16.5 11.5 11 17",settings:"M4 7h10M18 7h2M4 17h2M10 17h10M16 9V5M8 19v-4",health:"M3 12h4l2-6 4 12 2-6h6",menu:"M4 7h16M4 12h16M4 17h16",send:"M5 12h13M12 6l6 6-6 6",up:"M7 21V10l4-7c2 0 2.5 1.5 2 3.5L12.500 10H19l-1.500 11zM7 10H4v11h3",down:"M17 3v11l-4 7c-2 0-2.500-1.500-2-3.500L11.500 14H5L6.500 3zM17 14h3V3h-3",close:"M6 6l12 12M18 6 6 18"},fe=({name:t})=>c`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${Yo[t]??""} /></svg>`;function x({title:t,lead:e,actions:n,wide:o=!1,children:i}){return c`<div class=${o?"page page-wide":"page"}>
    <header class="page-head">
      <div>
        <h1 tabindex="-1">${t}</h1>
        ${e&&c`<p class="lead">${e}</p>`}
      </div>
      ${n&&c`<div class="actions">${n}</div>`}
    </header>
    ${i}
  </div>`}function it({lines:t=4}){let e=[92,78,85,64,88,71];return c`<div class="loading" role="status">
    <span class="unseen">${a("state.loading")}</span>
    ${Array.from({length:t},(n,o)=>c`<span class="skeleton" style=${{width:`${e[o%6]}%`}}></span>`)}
  </div>`}function W({title:t,text:e,command:n,children:o}){return c`<div class="empty">
    <${er} />
    <h2>${t}</h2>
    ${e&&c`<p>${e}</p>`} ${n&&c`<p><code>${n}</code></p>`} ${o}
  </div>`}function er(){return c`<svg viewBox="0 0 48 32" width="72" height="48" aria-hidden="true" class="mark">
    <path d="M8 24V14a8 8 0 0 1 16 0v10M24 14a8 8 0 0 1 16 0v10" />
    <circle cx="8" cy="24" r="4" /><circle cx="24" cy="24" r="4" /><circle cx="40" cy="24" r="4" />
  </svg>`}function Wn({error:t,retry:e}){let n=t.status===0||!t.message?a("state.unreachable"):t.message;return c`<div class="failure" role="alert">
    <div>
      <strong>${a("state.failed")}</strong>
      <p>${n}</p>
    </div>
    ${e&&c`<button type="button" class="button" onClick=${e}>${a("action.retry")}</button>`}
  </div>`}var qn="urn:trustgraph:memory:recalled",zn="urn:trustgraph:memory:cited";function Un(t){return E({question:t,at:new Date().toISOString(),thoughts:[],answer:"",recalled:null,cited:null,jobs:[],error:"",ended:!1,open:""})}function Gn(t,e){let n={...t},o=e.message_type,i=e.content??"";if(o==="explain")for(let[s,r]of tr(e))s===qn&&(n.recalled=r),s===zn&&(n.cited=r);else if(o==="answer")n.answer+=i,e.end_of_message&&!e.end_of_dialog&&(n.answer="");else if(o==="thought"||o==="observation"||o==="action"){let s=t.open===o,r=s?t.thoughts.at(-1):{kind:o,text:""};n.thoughts=[...s?t.thoughts.slice(0,-1):t.thoughts,{kind:o,text:r.text+i}]}return o!=="explain"&&(n.open=e.end_of_message?"":o),e.end_of_dialog&&(n.ended=!0,n.tokens=(e.in_token??0)+(e.out_token??0),n.model=e.model??""),n}function tr(t){let e=[];for(let{p:n,o}of t.explain_triples??[])if(!(n?.i!==qn&&n?.i!==zn))try{e.push([n.i,JSON.parse(o.v)])}catch{continue}return e}function Hn(t,e){let n=e.kind.slice(4),o={id:e.job_id,kind:e.job_kind,status:n,error:e.error??""},i=t.jobs.some(s=>s.id===o.id);return{...t,jobs:i?t.jobs.map(s=>s.id===o.id?o:s):[...t.jobs,o]}}var Pt="/ui/",at=E(location.pathname+location.search),Z=ge(()=>{let[t,e=""]=at.value.split("?"),[n="",...o]=t.slice(Pt.length).split("/").filter(Boolean).map(decodeURIComponent);return{pane:n,rest:o,query:new URLSearchParams(e)}});function k(t,e={}){let n=Object.entries(e).filter(([,i])=>i),o=n.length?`?${new URLSearchParams(n)}`:"";return Pt+t.map(encodeURIComponent).join("/")+o}function te(t,{replace:e=!1}={}){t!==at.value&&(history[e?"replaceState":"pushState"](null,"",t),at.value=t)}addEventListener("popstate",()=>{at.value=location.pathname+location.search});addEventListener("click",t=>{let e=t.target instanceof Element?t.target.closest("a[href]"):null,n=t.button===0&&!t.metaKey&&!t.ctrlKey&&!t.shiftKey&&!t.altKey;!e||!n||e.target||e.origin!==location.origin||!e.pathname.startsWith(Pt)||e.pathname.includes(".")||e.hash||(t.preventDefault(),te(e.pathname+e.search))});var nr=[["year",31536e3],["month",2592e3],["week",604800],["day",86400],["hour",3600],["minute",60]];function Fn(t,e=Date.now(),n=z.value){let o=(new Date(t)-e)/1e3,i=new Intl.RelativeTimeFormat(n,{numeric:"auto"});for(let[s,r]of nr)if(Math.abs(o)>=r)return i.format(Math.trunc(o/r),s);return i.format(0,"second")}function It(t,e=z.value){return new Date(t).toLocaleString(e,{dateStyle:"medium",timeStyle:"short"})}function I({at:t,both:e=!1}){if(!t||Number.isNaN(new Date(t).getTime()))return null;let n=It(t);return c`<time datetime=${t} title=${n}>${e?`${n} (${Fn(t)})`:Fn(t)}</time>`}var Q=E([]),Bn=E(Vn());function Vn(){return`ui-${crypto.randomUUID()}`}tt(["job."],t=>{let e=Q.value.at(-1);e&&t.kind!=="lost"&&(e.value=Hn(e.value,t))});async function or(t){let e=Un(t);Q.value=[...Q.value,e];let n={question:t,streaming:!0,conversation_id:Bn.value};try{await Dn(n,o=>{e.value=Gn(e.value,o)})}catch(o){e.value={...e.value,ended:!0,error:o.message==="lost"?a("ask.lost"):o.message}}}function Jn(){let t=()=>{Q.value=[],Bn.value=Vn()},e=Q.value.length>0&&c`<button type="button" class="button" onClick=${t}>${a("ask.new")}</button>`;return c`<${x} title=${a("pane.ask")} lead=${a("ask.lead")} actions=${e}>
    ${Q.value.length===0&&c`<${W} title=${a("ask.empty")} text=${a("ask.empty_text")} />`}
    <ol class="turns">
      ${Q.value.map((n,o)=>c`<${sr} key=${n} turn=${n} last=${o===Q.value.length-1} />`)}
    </ol>
    <${rr} busy=${Q.value.length>0&&!Q.value.at(-1).value.ended} />
  <//>`}function rr({busy:t}){let[e,n]=_(""),o=G(null),i=r=>{r.preventDefault();let l=e.trim();!l||t||(n(""),or(l),o.current?.focus())},s=r=>{r.key==="Enter"&&!r.shiftKey&&!r.isComposing&&i(r)};return c`<form class="composer" onSubmit=${i}>
    <label class="unseen" for="question">${a("ask.question")}</label>
    <textarea
      id="question"
      ref=${o}
      rows="2"
      placeholder=${a("ask.placeholder")}
      value=${e}
      onInput=${r=>n(r.target.value)}
      onKeyDown=${s}
    ></textarea>
    <button type="submit" class="button primary" disabled=${t||!e.trim()}><${fe} name="send" />${a("ask.send")}</button>
  </form>`}function sr({turn:t,last:e}){let{question:n,at:o,recalled:i,cited:s,answer:r,error:l,ended:u,thoughts:f,jobs:p}=t.value,m=G(null);V(()=>{e&&m.current?.scrollIntoView({block:"end"})},[e,u]);let h=i?.memories??[],d=s?.indices??[];return c`<li class="turn" ref=${m}>
    <div class="said"><p>${n}</p><${I} at=${o} /></div>
    <div class="card reply">
      <${ir} text=${r} ended=${u} />
      ${r?c`<p class="answer">${r}${u&&d.map(g=>c`<${ar} index=${g} memory=${h[g]} />`)}</p>`:!u&&c`<p class="thinking">${i?a("ask.answering"):a("ask.recalling")}</p>`}
      ${l&&c`<p class="error" role="alert">${l}</p>`}
      ${u&&!l&&c`<${lr} turn=${t.value} />`}
      ${i&&c`<${cr} recalled=${i} cited=${d} ended=${u} />`}
      ${f.length>0&&c`<${ur} thoughts=${f} />`}
      ${p.length>0&&c`<${dr} jobs=${p} />`}
    </div>
  </li>`}function ir({text:t,ended:e}){let n=e?t:t.slice(0,Math.max(t.lastIndexOf(". "),t.lastIndexOf(`
`))+1);return c`<div class="unseen" aria-live="polite">${n}</div>`}function ar({index:t,memory:e}){return e?c`<a class="cite" href=${k(["memories",e.id])} title=${e.content}>${t+1}</a>`:null}function lr({turn:t}){let[e,n]=_(0),o=t.cited?.ids??[],i=async r=>{try{await Promise.all(o.map(l=>J(`/v1/memories/${l}/feedback`,{rating:r}))),n(r),C(a("ask.rated",{n:o.length}))}catch(l){C(l.message||a("state.unreachable"))}},s=o.length?a("ask.rests",{n:o.length}):a("ask.rests_on_none");return c`<div class="verdict">
    <span>${s}</span>
    ${o.length>0&&c`<span class="thumbs">
      <button type="button" class="button quiet" aria-pressed=${e===1} onClick=${()=>i(1)}>
        <${fe} name="up" /><span class="unseen">${a("ask.useful")}</span>
      </button>
      <button type="button" class="button quiet" aria-pressed=${e===-1} onClick=${()=>i(-1)}>
        <${fe} name="down" /><span class="unseen">${a("ask.useless")}</span>
      </button>
    </span>`}
  </div>`}function cr({recalled:t,cited:e,ended:n}){let o=t.memories??[],i=Math.max(.01,...o.flatMap(r=>Object.values(r.why??{}).map(l=>Math.abs(Number(l))))),s=t.missing??[];if(!o.length){let r=t.gate?a("ask.gate",{reason:t.gate}):a("ask.nothing_recalled");return c`<p class="quiet-line">${r}</p>`}return c`<details class="recalled" open=${!n||void 0}>
    <summary>${a("ask.recalled",{n:o.length})}</summary>
    ${s.map(r=>c`<p class="warning">${a("ask.missing",{part:r.part,reason:r.reason})}</p>`)}
    <ol>
      ${o.map((r,l)=>c`<li class=${e.includes(l)?"memory cited":"memory"}>
          <span class="number">${l+1}</span>
          <div>
            <p><a href=${k(["memories",r.id])}>${r.content}</a></p>
            <p class="meta">
              <${ve} kind=${r.kind} />
              ${r.speaker&&c`<span>${r.speaker}</span>`} <${I} at=${r.said_at} />
              <span>${a("ask.score",{score:r.score.toFixed(2)})}</span>
              ${r.rank_before>=0&&r.rank_before!==l&&c`<span>${a("ask.rank_before",{rank:r.rank_before+1})}</span>`}
              ${e.includes(l)&&c`<strong>${a("ask.cited")}</strong>`}
            </p>
            <${st} why=${r.why} most=${i} limit=${4} />
          </div>
        </li>`)}
    </ol>
  </details>`}var ur=({thoughts:t})=>c`<details class="thoughts">
  <summary>${a("ask.thoughts",{n:t.length})}</summary>
  ${t.map(e=>c`<p class=${e.kind}><strong>${A("step",e.kind)}</strong> ${e.text}</p>`)}
</details>`,dr=({jobs:t})=>c`<ul class="jobs-line" aria-label=${a("ask.jobs")}>
  ${t.map(e=>c`<li title=${e.error||void 0}>${A("job",e.kind)} <${be} status=${e.status} /></li>`)}
</ul>`;var pr=250;function D(t,e=[],n=[]){let[o,i]=_({data:void 0,error:null,loading:!0}),s=G(null),r=mn(()=>{s.current?.abort();let l=s.current=new AbortController;i(u=>({...u,loading:!0})),t(l.signal).then(u=>l.signal.aborted||i({data:u,error:null,loading:!1}),u=>l.signal.aborted||i(f=>({...f,error:u,loading:!1})))},e);return V(()=>(r(),()=>s.current?.abort()),[r]),V(()=>{if(!n.length)return;let l=0,u=tt(n,()=>{clearTimeout(l),l=setTimeout(r,pr)});return()=>{clearTimeout(l),u()}},[r,n.join()]),{...o,again:r}}function O({loaded:t,children:e}){let{data:n,error:o,again:i}=t;return c`${o&&c`<${Wn} error=${o} retry=${i} />`}${n!==void 0?e(n):!o&&c`<${it} />`}`}function ye({label:t,columns:e,rows:n}){return c`<div class="table-wrap" tabindex="0" role="region" aria-label=${t}>
    <table class="data">
      <thead>
        <tr>${e.map(o=>c`<th scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${n.map(o=>c`<tr>${o.map(i=>c`<td>${i}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`}function Wt({shown:t,next:e,more:n}){return e?c`<p class="more"><span>${a("list.shown",{n:t})}</span> <button type="button" class="button" onClick=${n}>${a("list.more")}</button></p>`:null}var Kn=50,fr=200,he=1e3;function Zn(){let{query:t}=Z.value;if(t.get("id"))return c`<${mr} id=${t.get("id")} />`;let e=t.get("show")==="episodes";return c`<${x} title=${a("pane.conversations")} lead=${a("conversations.lead")}>
    <nav class="tabs" aria-label=${a("conversations.views")}>
      <a href=${k(["conversations"])} aria-current=${e?void 0:"page"}>${a("conversations.list")}</a>
      <a href=${k(["conversations"],{show:"episodes"})} aria-current=${e?"page":void 0}>${a("conversations.episodes")}</a>
    </nav>
    ${e?c`<${_r} />`:c`<${hr} />`}
  <//>`}function hr(){let[t,e]=_(Kn),n=D(o=>w("/v1/conversations",{limit:t},{signal:o}),[t],["job."]);return c`<${O} loaded=${n}>
    ${({results:o,next:i})=>c`
      ${!o.length&&c`<${W} title=${a("conversations.empty")} text=${a("conversations.empty_text")} command="react-mem chat" />`}
      <ol class="rows">
        ${o.map(s=>c`<li key=${s.id} class="card row">
            <a class="row-title" href=${k(["conversations"],{id:s.id})}>${s.id}</a>
            <p class="meta">
              <${Qn} ended=${s.ended} />
              <span>${a("conversations.exchanges",{n:Number(s.metadata.turns??0)})}</span>
              <${I} at=${s.metadata.last_at} both />
            </p>
          </li>`)}
      </ol>
      <${Wt} shown=${o.length} next=${t<he&&i} more=${()=>e(Math.min(he,t*4))} />
    `}
  <//>`}var Qn=({ended:t})=>c`<${F} tone=${t?"":"good"}>${a(t?"conversations.ended":"conversations.open")}<//>`;function mr({id:t}){let e=`/v1/conversations/${encodeURIComponent(t)}`,o=D(m=>Promise.all([w(e,{limit:fr},{signal:m}),w("/v1/memories",{conversation_id:t,limit:he},{signal:m})]).then(([h,d])=>({conversation:h,memories:d.results})),[t],["job.","memory."]),[i,s]=_(""),r=()=>te(k(["conversations"])),l={end:()=>C(a("conversations.now_ended")),forget:u};function u({operation_id:m}){r(),C(a("conversations.forgotten"),{label:a("receipt.show"),act:()=>te(k(["erasures"],{id:m}))})}let{data:f}=o,p=f&&c`
    ${!f.conversation.ended&&c`<button type="button" class="button" onClick=${()=>s("end")}>${a("conversations.end")}</button>`}
    <button type="button" class="button danger" onClick=${()=>s("forget")}>${a("conversations.forget")}</button>
  `;return c`<${x} title=${a("conversations.one")} lead=${t} actions=${p}>
    <p><a href=${k(["conversations"])}>${a("conversations.back")}</a></p>
    <${O} loaded=${o}>
      ${({conversation:m,memories:h})=>c`
        <p class="meta">
          <${Qn} ended=${m.ended} /> <${I} at=${m.metadata.started_at} both />
          <span>${a("conversations.learned",{n:h.length})}</span>
        </p>
        <ol class="timeline">
          ${(m.exchanges??[]).map(d=>c`<li key=${d.id}>
              <${I} at=${d.at} both />
              <p class="asked">${d.query}</p>
              <p class="answered">${d.result}</p>
            </li>`)}
        </ol>
        ${h.length>0&&c`<${gr} memories=${h} />`}
        ${i==="end"&&c`<${K}
          title=${a("conversations.end")}
          label=${a("conversations.end")}
          act=${()=>J(`${e}/end`)}
          done=${l.end}
          close=${()=>s("")}
        ><p>${a("conversations.end_text")}</p><//>`}
        ${i==="forget"&&c`<${K}
          title=${a("conversations.forget")}
          label=${a("action.forget")}
          act=${()=>ee(e)}
          done=${l.forget}
          close=${()=>s("")}
        ><p>${a("conversations.forget_text",{exchanges:Number(m.metadata.turns??0),memories:h.length===he?a("list.or_more",{n:he}):h.length})}</p><//>`}
      `}
    <//>
  <//>`}var gr=({memories:t})=>c`<section>
  <h2>${a("conversations.memories")}</h2>
  <ul class="rows">
    ${t.slice(0,100).map(e=>c`<li key=${e.id} class="row"><a href=${k(["memories",e.id])}>${e.memory}</a> <${ve} kind=${e.kind} /></li>`)}
  </ul>
</section>`;function _r(){let[t,e]=_(Kn),[n,o]=_(null),i=D(s=>w("/v1/episodes",{limit:t},{signal:s}),[t],["memory.","job."]);return c`<${O} loaded=${i}>
    ${({results:s,next:r})=>c`
      ${!s.length&&c`<${W} title=${a("episodes.empty")} text=${a("episodes.empty_text")} />`}
      <ol class="rows">
        ${s.map(l=>c`<${$r} key=${l.id} episode=${l} forget=${()=>o(l)} />`)}
      </ol>
      <${Wt} shown=${s.length} next=${t<he&&r} more=${()=>e(Math.min(he,t*4))} />
      ${n&&c`<${K}
        title=${a("episodes.forget")}
        label=${a("action.forget")}
        act=${()=>ee(`/v1/episodes/${encodeURIComponent(n.id)}`)}
        done=${()=>C(a("episodes.forgotten"))}
        close=${()=>{o(null),i.again()}}
      ><p>${a("episodes.forget_text")}</p><p><strong>${n.goal}</strong></p><//>`}
    `}
  <//>`}function $r({episode:t,forget:e}){return c`<li class="card row">
    <h2>${t.goal}</h2>
    <p class="meta">
      <${F} tone=${t.succeeded?"good":"bad"}>${a(t.succeeded?"episodes.succeeded":"episodes.failed")}<//>
      <${I} at=${t.created_at} both />
      ${t.run_id&&c`<a href=${k(["conversations"],{id:t.run_id})}>${a("episodes.conversation")}</a>`}
    </p>
    ${t.outcome&&c`<p>${t.outcome}</p>`}
    ${t.lessons&&c`<p><strong>${a("episodes.lessons")}</strong> ${t.lessons}</p>`}
    ${t.steps.length>0&&c`<details><summary>${a("episodes.steps",{n:t.steps.length})}</summary>
      <ol class="steps">${t.steps.map(n=>c`<li>${n}</li>`)}</ol></details>`}
    <div class="actions"><button type="button" class="button quiet" onClick=${e}>${a("action.forget")}</button></div>
  </li>`}var Xn=200,lt=E([]);function Yn(){let t=Z.value.query.get("id"),e=D(n=>vr(t,n),[t],["job.","memory.forgotten"]);return c`<${x} title=${a("pane.erasures")} lead=${a("erasures.lead")}>
    <${br} />
    <${yr} done=${e.again} />
    <section>
      <h2>${a("erasures.receipts")}</h2>
      <${O} loaded=${e}>
        ${n=>{let o=[...lt.value,...n];return o.length?c`<ul class="rows">${o.map(i=>c`<${kr} key=${i.operation_id} entry=${i} open=${i.operation_id===t} />`)}</ul>`:c`<${W} title=${a("erasures.empty")} text=${a("erasures.empty_text")} />`}}
      <//>
    </section>
  <//>`}async function vr(t,e){let[n,o]=await Promise.all([w("/v1/receipts",{limit:Xn},{signal:e}),w("/v1/operations",{kind:"forget",limit:Xn},{signal:e})]),i=new Map(o.results.map(l=>[l.id,l.updated_at])),s=n.results.map(l=>({...l,at:i.get(l.operation_id)}));if(!t||[...s,...lt.value].some(l=>l.operation_id===t))return s;let r=await w(`/v1/receipts/${encodeURIComponent(t)}`,{},{signal:e}).catch(l=>{if(l.status===404)return null;throw l});return r?[r,...s]:s}function br(){let t=D(i=>w("/v1/switches",{},{signal:i})),[e,n]=_(null),o=async(i,s)=>{try{n(await ot("/v1/switches",{[i]:s})),C(a(`erasures.${i}_${s?"on":"off"}`))}catch(r){C(r.message||a("state.unreachable")),t.again()}};return c`<section class="card row">
    <h2>${a("erasures.switches")}</h2>
    <${O} loaded=${t}>
      ${i=>["read","write"].map(s=>c`<label class="switch">
          <input type="checkbox" role="switch" checked=${(e??i)[s]==="on"} onChange=${r=>o(s,r.target.checked)} />
          <span><strong>${a(`erasures.${s}`)}</strong><br /><span class="quiet-line">${a(`erasures.${s}_text`)}</span></span>
        </label>`)}
    <//>
  </section>`}function yr({done:t}){let{user:e,collections:n}=N.value,[o,i]=_(null),s=async(u,f)=>{try{i({level:u,name:f,counts:u==="collection"?await wr(f):[]})}catch(p){C(p.message||a("state.unreachable"))}},r=u=>{u.receipt?.places&&(lt.value=[{...u,at:new Date().toISOString()},...lt.value]),C(a("erasures.done")),t()},l=n[0]??"default";return c`<section class="card row">
    <h2>${a("erasures.all")}</h2>
    <p class="quiet-line">${a("erasures.all_text")}</p>
    <div class="actions">
      <button type="button" class="button danger" onClick=${()=>s("collection",l)}>${a("erasures.collection",{name:l})}</button>
      ${!n.length&&c`<button type="button" class="button danger" onClick=${()=>s("user",e)}>${a("erasures.user",{name:e})}</button>`}
    </div>
    ${o&&c`<${K}
      title=${a(`erasures.${o.level}`,{name:o.name})}
      label=${a("action.forget")}
      typed=${o.name}
      act=${()=>ee("/v1/memories",o.level==="collection"?{collection:o.name}:{user_id:o.name})}
      done=${r}
      close=${()=>i(null)}
    >
      <p>${a("erasures.for_good")}</p>
      <ul class="tiles">${o.counts.map(([u,f])=>c`<li><strong>${f}</strong> ${u}</li>`)}</ul>
    <//>`}
  </section>`}async function wr(t){let{memories:e,episodes:n,conversations:o}=await w("/v1/stats",{collection:t});return[...Object.entries(e).filter(([s,r])=>!["vectors","embedding"].includes(s)&&Number(r)).map(([s,r])=>[A("kind",s),r]),[a("erasures.episodes"),n.episodes??0],[a("erasures.conversations"),o.conversations??0]]}function kr({entry:t,open:e}){let{operation_id:n,receipt:o,at:i}=t,s=Object.entries(o.places??{}),r=f=>s.reduce((p,[,m])=>p+Number(m[f]??0),0),l=o.complete??!r("left"),u=`data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify({operation_id:n,at:i,receipt:o},null,1))}`;return c`<li class="card row">
    <p class="meta">
      <strong>${A("level",o.level)}</strong>
      <${F} tone=${l?"good":"warm"}>${a(l?"receipt.complete":"receipt.incomplete")}<//>
      <span>${a("receipt.removed",{n:r("removed")})}</span>
      <${I} at=${i} both />
    </p>
    <details open=${e||void 0}>
      <summary>${a("receipt.details")}</summary>
      <${ye}
        label=${a("receipt.details")}
        columns=${[a("receipt.place"),a("receipt.found"),a("receipt.removed_short"),a("receipt.left")]}
        rows=${s.map(([f,p])=>[f,p.found??"",p.removed??"",p.left??""])}
      />
      ${o.files&&c`<p class="quiet-line">${a("receipt.files",{state:o.files.state??o.files.after})}</p>`}
      ${(o.notes??[]).map(f=>c`<p class="quiet-line">${f}</p>`)}
      <p class="quiet-line"><code>${n}</code> <a href=${u} download=${`receipt-${n}.json`}>${a("receipt.save")}</a></p>
    </details>
  </li>`}var xr=300,B=640,Sr=24,we=["replaced by","derived from","about the same","similar","said in"];function to(){let t=Z.value.query.get("id");return c`<${x} title=${a("pane.graph")} lead=${a("graph.lead")} wide>
    <${Er} />
    ${t?c`<${Tr} key=${t} id=${t} />`:c`<${W} title=${a("graph.empty")} text=${a("graph.empty_text")} />`}
  <//>`}function Er(){let[t,e]=_(""),[n,o]=_(null),i=async r=>{r.preventDefault(),t.trim()&&o(await J("/v1/memories/search",{query:t,limit:8}).catch(l=>({error:l.message||a("state.unreachable")})))},s=r=>{o(null),te(k(["graph"],{id:r.id}))};return c`<form class="search" role="search" onSubmit=${i}>
    <label class="field"><span>${a("graph.search")}</span>
      <input type="search" value=${t} onInput=${r=>e(r.target.value)} /></label>
    <button type="submit" class="button">${a("graph.find")}</button>
    ${n?.error&&c`<p class="error" role="alert">${n.error}</p>`}
    ${n?.results&&c`<ul class="rows found" aria-label=${a("graph.results")}>
      ${!n.results.length&&c`<li>${a("graph.none")}</li>`}
      ${n.results.map(r=>c`<li key=${r.id}><button type="button" class="button quiet" onClick=${()=>s(r)}>${r.memory}</button></li>`)}
    </ul>`}
  </form>`}function Tr({id:t}){let e=D(n=>w(`/v1/memories/${encodeURIComponent(t)}/neighbours`,{limit:xr},{signal:n}),[t],["memory."]);return c`<${O} loaded=${e}>
    ${n=>c`<div class="graph">
      <${Ar} graph=${n} />
      <${Cr} graph=${n} />
    </div>
    ${n.left_out>0&&c`<p class="warning">${a("graph.left_out",{n:n.left_out})}</p>`}`}
  <//>`}function no({memories:t,conversation_id:e,connections:n}){let o=t[0].id,i=new Map;for(let r of n){let l=r.source===o?r.target:r.source,u=we.indexOf(r.relation);l!==o&&!(we.indexOf(i.get(l)?.relation)<=u&&i.has(l))&&i.set(l,r)}let s=new Map(t.map(r=>[r.id,r]));return e&&i.delete(e),we.map(r=>({name:r,entries:[...i].filter(([,l])=>l.relation===r).map(([l,u])=>({memory:s.get(l),connection:u}))})).filter(r=>r.entries.length)}function Mr(t){let e=t.reduce((i,s)=>i+s,0),n=Math.max(1,Math.ceil(e/Sr)),o=0;return t.map(i=>Array.from({length:i},()=>{let s=o%n,r=2*Math.PI*o/Math.max(1,e)-Math.PI/2,l=(B/2-24)*(n===1?.72:.42+.56*s/(n-1));return o+=1,{x:B/2+l*Math.cos(r),y:B/2+l*Math.sin(r)}}))}function Ar({graph:t}){let e=no(t),n=Mr(e.map(i=>i.entries.length)),o=t.memories.length<=40;return c`<svg class="card picture" viewBox=${`0 0 ${B} ${B}`} role="img" aria-label=${a("graph.picture",{n:t.memories.length-1})}>
    ${e.map(({name:i},s)=>n[s].map(({x:r,y:l})=>c`<line class=${`edge edge-${we.indexOf(i)}`} x1=${B/2} y1=${B/2} x2=${r} y2=${l} />`))}
    ${e.map(({name:i,entries:s},r)=>s.map(({memory:l},u)=>{let{x:f,y:p}=n[r][u];return c`<g class=${`node node-${we.indexOf(i)}`} onClick=${()=>te(k(["graph"],{id:l.id}))}>
          <circle cx=${f} cy=${p} r=${o?9:5} /><title>${l.memory}</title>
          ${o&&c`<text x=${f} y=${p+22} text-anchor="middle">${eo(l.memory,20)}</text>`}
        </g>`}))}
    <circle class="centre-node" cx=${B/2} cy=${B/2} r="13" />
    <text class="centre-label" x=${B/2} y=${B/2+30} text-anchor="middle">${eo(t.memories[0].memory,40)}</text>
  </svg>`}var eo=(t,e)=>[...t].length>e?`${[...t].slice(0,e-1).join("")}…`:t;function Cr({graph:t}){let[e]=t.memories;return c`<div class="graph-list">
    <h2>${e.memory}</h2>
    <p class="meta"><${ve} kind=${e.kind} /> <${be} status=${e.status} /> <a href=${k(["memories",e.id])}>${a("graph.open")}</a>
      ${t.conversation_id&&c`<a href=${k(["conversations"],{id:t.conversation_id})}>${a("graph.conversation")}</a>`}</p>
    ${t.memories.length===1&&c`<p class="quiet-line">${a("graph.alone")}</p>`}
    ${no(t).map(({name:n,entries:o})=>c`<section>
        <h3><i class=${`key edge-key-${we.indexOf(n)}`} aria-hidden="true"></i>${A("relation",n.replaceAll(" ","_"))} (${o.length})</h3>
        <ul class="rows">
          ${o.map(({memory:i,connection:s})=>c`<li key=${i.id}><a href=${k(["graph"],{id:i.id})}>${i.memory}</a>
              ${s.label&&c`<span class="quiet-line"> (${s.label})</span>`}</li>`)}
        </ul>
      </section>`)}
  </div>`}var jr=["embedding"];async function Nr(t){return(await fetch("/health/ready",{signal:t})).json()}function oo(){let t=D(n=>Promise.all([Nr(n),w("/version",{},{signal:n}),w("/v1/stats",{},{signal:n}),w("/v1/keys",{},{signal:n})]).then(([o,i,s,r])=>({ready:o,version:i,stats:s,keys:r.results}))),e=c`<button type="button" class="button" disabled=${t.loading} onClick=${t.again}>${a("health.again")}</button>`;return c`<${x} title=${a("pane.health")} lead=${a("health.lead")} actions=${e}>
    <${O} loaded=${t}>
      ${({ready:n,version:o,stats:i,keys:s})=>c`
        <section class="card row">
          <h2>${a("health.parts")}</h2>
          <p role="status"><${F} tone=${n.status==="ready"?"good":"bad"}>${a(n.status==="ready"?"health.ready":"health.not_ready")}<//></p>
          <ul class="tiles">
            ${Object.entries(n.parts).map(([r,l])=>c`<li>${r} <${F} tone=${l==="ok"?"good":"bad"}>${l==="ok"?a("health.ok"):l}<//></li>`)}
          </ul>
        </section>
        <section class="card row">
          <h2>${a("health.versions")}</h2>
          <dl class="facts">
            <dt>react-mem</dt><dd>${o.version}</dd>
            <dt>${a("health.embedding")}</dt><dd>${i.memories.embedding}</dd>
          </dl>
        </section>
        <section class="card row">
          <h2>${a("health.stored")}</h2>
          <ul class="tiles">
            ${[["memories",i.memories],["conversations",i.conversations]].flatMap(([r,l])=>Object.entries(l).filter(([u,f])=>!jr.includes(u)&&Number(f)).map(([u,f])=>c`<li><strong>${f}</strong> ${r==="memories"?A("kind",u):A("stored",u)}</li>`))}
          </ul>
        </section>
        <section class="card row">
          <h2>${a("health.keys")}</h2>
          ${s.length===0?c`<p class="quiet-line">${a("health.no_keys")} <code>react-mem keys create</code></p>`:c`<${ye}
                label=${a("health.keys")}
                columns=${[a("health.key"),a("health.label"),a("health.reach"),a("health.made"),a("health.used"),a("health.state")]}
                rows=${s.map(r=>[c`<code>${r.id}</code>`,r.label,r.collections.join(", ")||a("shell.all_collections"),c`<${I} at=${r.created_at} />`,r.last_used_at?c`<${I} at=${r.last_used_at} />`:a("health.never"),c`<${F} tone=${r.revoked_at?"bad":"good"}>${a(r.revoked_at?"health.revoked":r.writes?"health.valid":"health.reads")}<//>`])}
              />`}
        </section>
      `}
    <//>
  <//>`}var Dr=200,ro=["running","pending","failed","succeeded","cancelled"];function so(){let t=Z.value.query.get("status")??"",n=D(r=>Promise.all([w("/v1/operations",{limit:Dr,status:t},{signal:r}),w("/v1/stats",{},{signal:r})]).then(([{results:l},{operations:u}])=>({jobs:l,stats:u})),[t],["job."]),[o,i]=_(null),s=async(r,l)=>{try{await J(`/v1/operations/${encodeURIComponent(r.id)}/${l}`),C(a(`jobs.${l}_done`))}catch(u){C(u.message||a("state.unreachable"))}n.again()};return c`<${x} title=${a("pane.jobs")} lead=${a("jobs.lead")}>
    <label class="field narrow"><span>${a("jobs.filter")}</span>
      <select value=${t} onChange=${r=>te(k(["jobs"],{status:r.target.value}))}>
        <option value="">${a("jobs.all")}</option>
        ${ro.map(r=>c`<option value=${r}>${A("status",r)}</option>`)}
      </select></label>
    <${O} loaded=${n}>
      ${({jobs:r,stats:l})=>c`
        <${Or} jobs=${r} stats=${l} />
        ${!r.length&&c`<${W} title=${a("jobs.empty")} text=${a("jobs.empty_text")} />`}
        <ul class="rows">
          ${r.map(u=>c`<li key=${u.id} class="card row">
              <p class="meta"><strong>${A("job",u.kind)}</strong> <${be} status=${u.status} />
                ${u.attempt>1&&c`<span>${a("jobs.attempt",{n:u.attempt})}</span>`}
                <${I} at=${u.updated_at} both /></p>
              ${u.error&&c`<p class="error">${u.error}</p>`}
              ${u.summary&&c`<p class="quiet-line">${u.summary}</p>`}
              <p class="quiet-line"><code>${u.id}</code></p>
              <div class="actions">
                ${["failed","pending"].includes(u.status)&&c`<button type="button" class="button" onClick=${()=>s(u,"retry")}>${a("jobs.retry")}</button>`}
                ${["pending","running"].includes(u.status)&&c`<button type="button" class="button" onClick=${()=>s(u,"cancel")}>${a("jobs.cancel")}</button>`}
                ${["failed","pending"].includes(u.status)&&c`<button type="button" class="button quiet" onClick=${()=>i(u)}>${a("jobs.drop")}</button>`}
                ${u.kind==="forget"&&u.status==="succeeded"&&c`<a class="button" href=${k(["erasures"],{id:u.id})}>${a("receipt.show")}</a>`}
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    ${o&&c`<${K}
      title=${a("jobs.drop")}
      label=${a("jobs.drop")}
      act=${()=>ee(`/v1/operations/${encodeURIComponent(o.id)}`)}
      done=${()=>C(a("jobs.dropped"))}
      close=${()=>{i(null),n.again()}}
    ><p>${a("jobs.drop_text",{kind:A("job",o.kind)})}</p><//>`}
  <//>`}function Or({jobs:t,stats:e}){let n=ro.map(o=>[o,t.filter(i=>i.status===o).length]).filter(([,o])=>o);return c`
    ${n.length>0&&c`<div class="share" aria-hidden="true">
      ${n.map(([o,i])=>c`<span class=${`share-${o}`} style=${{flexGrow:i}}></span>`)}
    </div>`}
    <ul class="tiles">
      ${n.map(([o,i])=>c`<li><strong>${i}</strong> ${A("status",o)}</li>`)}
    </ul>
    ${e.files&&c`<p class="quiet-line">${e.files}</p>`}
    ${e.former_embedding&&c`<p class="warning">${a("jobs.embedding",{scopes:e.scopes_to_embed,records:e.records_to_embed})}</p>`}
  `}var ct=640,Pe=170,Ie=44,io=22,Lr=10,Rr=20;function ut({title:t,curves:e,low:n,high:o,ends:i=["",""]}){let s=(f,p)=>Ie+(ct-Ie-4)*(p>1?f/(p-1):.5),r=f=>Pe-io-(Math.min(o,Math.max(n,f))-n)/(o-n||1)*(Pe-io-Lr),l=f=>f.toLocaleString(z.value,{maximumFractionDigits:2}),u=e.filter(f=>f.values.length>0);return c`<figure class="chart card">
    <figcaption>
      <strong>${t}</strong>
      <span class="legend">
        ${u.map(({name:f,values:p},m)=>c`<span><i class=${`key key${m}`} aria-hidden="true"></i>${f}: ${l(p.at(-1))}</span>`)}
      </span>
    </figcaption>
    <svg viewBox=${`0 0 ${ct} ${Pe}`} aria-hidden="true">
      ${[n,(n+o)/2,o].map(f=>c`<line x1=${Ie} x2=${ct} y1=${r(f)} y2=${r(f)} class="grid" />
          <text x=${Ie-6} y=${r(f)+4} text-anchor="end">${l(f)}</text>`)}
      ${u.map(({values:f},p)=>f.length>1?c`<polyline class=${`curve curve${p}`} points=${f.map((m,h)=>`${s(h,f.length).toFixed(1)},${r(m).toFixed(1)}`).join(" ")} />`:c`<circle class=${`dot dot${p}`} cx=${s(0,1)} cy=${r(f[0])} r="4" />`)}
      <text x=${Ie} y=${Pe-4}>${i[0]}</text>
      <text x=${ct-4} y=${Pe-4} text-anchor="end">${i[1]}</text>
    </svg>
    <details>
      <summary>${a("chart.table")}</summary>
      <${ye} label=${t} columns=${[a("chart.turn"),...u.map(f=>f.name)]} rows=${Pr(u,l)} />
    </details>
  </figure>`}function Pr(t,e){let n=Math.max(0,...t.map(i=>i.values.length)),o=Math.max(0,n-Rr);return Array.from({length:n-o},(i,s)=>[o+s+1,...t.map(({values:r})=>r[o+s]===void 0?"":e(r[o+s]))])}var lo=10,ao=5;function qt(t,e){let n=e==="reward"||e==="citation_rate";return t.filter(o=>e in o&&!(n&&(o.malformed||o.absent))).map(o=>Number(o[e]))}function Ir(t,e=lo){return t.map((n,o)=>{let i=t.slice(Math.max(0,o-e+1),o+1);return i.reduce((s,r)=>s+r,0)/i.length})}function co(){let t=D(e=>w("/v1/learn",{},{signal:e}),[],["job."]);return c`<${x} title=${a("pane.learning")} lead=${a("learning.lead")}>
    <${O} loaded=${t}>${({status:e})=>c`<${qr} rows=${e.rows??[]} policy=${e.policy??{}} />`}<//>
  <//>`}function Wr({won:t=0,lost:e=0,trust:n=0}){let o={won:Math.round(t),lost:Math.round(e),trust:n.toFixed(2)};return t+e<ao?a("learning.early",{...o,needed:ao}):a(t>e?"learning.helps":"learning.no_help",o)}function qr({rows:t,policy:e}){if(!t.length)return c`<${W} title=${a("learning.empty")} text=${a("learning.empty_text")} command="react-mem chat" />`;let n=l=>l?.at?It(l.at*1e3):"",o=[n(t[0]),n(t.at(-1))],i=(l,u=!0)=>({name:a(`learning.${l}`),values:u?Ir(qt(t,l)):qt(t,l)}),s=qt(t,"weight_norm"),r=e.features??{};return c`
    <p>${Wr(e)}</p>
    ${!t.at(-1).learning&&c`<p class="warning">${a("learning.off")}</p>`}
    <ul class="tiles">
      <li><strong>${t.length}</strong> ${a("learning.turns",{n:t.length})}</li>
      <li><strong>${e.updates??0}</strong> ${a("learning.updates")}</li>
      <li><strong>${(e.trust??0).toFixed(2)}</strong> ${a("learning.trust")}</li>
    </ul>
    <${ut} title=${a("learning.citations")} curves=${[i("citation_rate"),i("mrr_shown")]} low=${0} high=${1} ends=${o} />
    <${ut} title=${a("learning.rewards")} curves=${[i("reward")]} low=${-1} high=${1} ends=${o} />
    <${ut} title=${a("learning.weights")} curves=${[i("weight_norm",!1),i("trust",!1)]} low=${0} high=${Math.max(1,...s)} ends=${o} />
    <p class="quiet-line">${a("learning.means",{n:lo})}</p>
    ${Object.keys(r).length>0&&c`<section class="card row"><h2>${a("learning.features")}</h2><${st} why=${r} /></section>`}
  `}function uo(){return c`<${x} title=${a("pane.memories")} />`}function po(){return c`<${x} title=${a("pane.recall")} />`}var zr=500;function fo(){let[t,e]=_(null),[n,o]=_(null),i=D(l=>w("/v1/rules",{limit:zr},{signal:l}),[],["memory."]),s=D(l=>w("/v1/profile",{},{signal:l}),[],["memory."]),r=c`<button type="button" class="button primary" onClick=${()=>e({})}>${a("rules.add")}</button>`;return c`<${x} title=${a("pane.rules")} lead=${a("rules.lead")} actions=${r}>
    <${O} loaded=${i}>
      ${({results:l})=>c`
        ${!l.length&&c`<${W} title=${a("rules.empty")} text=${a("rules.empty_text")} />`}
        <ul class="rows">
          ${l.map(u=>c`<li key=${u.id} class="card row">
              ${u.condition&&c`<p class="meta">${a("rules.when",{condition:u.condition})}</p>`}
              <p><strong>${u.action||u.memory}</strong></p>
              <p class="meta"><${I} at=${u.created_at} /> <a href=${k(["memories",u.id])}>${a("rules.history")}</a></p>
              <div class="actions">
                <button type="button" class="button" onClick=${()=>e(u)}>${a("action.edit")}</button>
                <button type="button" class="button quiet" onClick=${()=>o(u)}>${a("action.forget")}</button>
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    <section>
      <h2>${a("rules.profile")}</h2>
      <${O} loaded=${s}>
        ${({profile:l})=>l?c`<div class="card row"><p class="whole">${l.memory}</p><p class="meta"><${I} at=${l.created_at} both /> <a href=${k(["memories",l.id])}>${a("rules.history")}</a></p></div>`:c`<p class="quiet-line">${a("rules.no_profile")}</p>`}
      <//>
    </section>
    ${t&&c`<${Ur} rule=${t} close=${()=>e(null)} done=${i.again} />`}
    ${n&&c`<${K}
      title=${a("rules.forget")}
      label=${a("action.forget")}
      act=${()=>ee(`/v1/memories/${encodeURIComponent(n.id)}`)}
      done=${()=>{i.again(),C(a("rules.forgotten"))}}
      close=${()=>o(null)}
    ><p>${a("rules.forget_text")}</p><p><strong>${n.memory}</strong></p><//>`}
  <//>`}function Ur({rule:t,close:e,done:n}){let[o,i]=_(t.condition??""),[s,r]=_(t.action??""),[l,u]=_({busy:!1,error:""}),f=async p=>{p.preventDefault(),u({busy:!0,error:""});let m=o.trim()?`${o.trim()}: ${s.trim()}`:s.trim(),h={condition:o.trim(),action:s.trim()};try{await(t.id?On(`/v1/memories/${encodeURIComponent(t.id)}`,{text:m,...h}):J("/v1/rules",h)),e(),n(),C(a("rules.saved"))}catch(d){u({busy:!1,error:d.message||a("state.unreachable")})}};return c`<${Re} title=${a(t.id?"rules.edit":"rules.add")} close=${e}>
    <form onSubmit=${f}>
      <label class="field"><span>${a("rules.condition")}</span>
        <input value=${o} onInput=${p=>i(p.target.value)} required=${!!t.condition} /></label>
      <label class="field"><span>${a("rules.action")}</span>
        <textarea rows="3" required value=${s} onInput=${p=>r(p.target.value)}></textarea></label>
      ${l.error&&c`<p class="error" role="alert">${l.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${e}>${a("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${l.busy||!s.trim()}>${a("action.save")}</button>
      </div>
    </form>
  <//>`}var zt="/v1/settings";function Gr(t,e){return t.choices.length||t.type==="string"?e:t.type==="boolean"?e==="true":JSON.parse(e)}var Ut=(t,e)=>typeof e=="string"?e:JSON.stringify(e);function ho(){let t=D(h=>w(zt,{},{signal:h})),[e,n]=_({}),[o,i]=_(""),[s,r]=_(!1),l=async(h,d)=>{let g=v=>n(y=>({...y,[h.name]:v}));if(d===Ut(h,h.value)){n(({[h.name]:v,...y})=>y);return}let T;try{T=Gr(h,d)}catch{g({text:d,error:a("settings.not_json")});return}g({text:d,value:T,error:""}),await ot(zt,{settings:{[h.name]:T},dry_run:!0}).catch(v=>{let y=v.message||a("state.unreachable");n($=>$[h.name]?.text===d?{...$,[h.name]:{text:d,value:T,error:y}}:$)})},u=Object.keys(e).length,f=Object.values(e).some(h=>h.error),p=u>0&&c`
    <button type="button" class="button" onClick=${()=>n({})}>${a("settings.discard")}</button>
    <button type="button" class="button primary" disabled=${f} onClick=${()=>r(!0)}>${a("settings.save",{n:u})}</button>
  `,m=()=>{n({}),t.again(),C(a("settings.saved"))};return c`<${x} title=${a("pane.settings")} lead=${a("settings.lead")} actions=${p}>
    <label class="field narrow"><span>${a("settings.filter")}</span>
      <input type="search" value=${o} onInput=${h=>i(h.target.value)} /></label>
    <${O} loaded=${t}>
      ${({results:h})=>{let d=h.filter(g=>`${g.name} ${g.meaning}`.toLowerCase().includes(o.trim().toLowerCase()));return c`${!d.length&&c`<p class="quiet-line">${a("settings.none")}</p>`}
          <ul class="rows">${d.map(g=>c`<${Hr} key=${g.name} setting=${g} change=${e[g.name]} edit=${l} />`)}</ul>`}}
    <//>
    ${s&&c`<${Fr} changes=${e} done=${m} close=${()=>r(!1)} />`}
  <//>`}function Hr({setting:t,change:e,edit:n}){let o=`setting-${t.name}`,i=e?.text??Ut(t,t.value),s=t.choices.length?t.choices:t.type==="boolean"?["true","false"]:[],r={id:o,value:i,"aria-describedby":`${o}-meaning`,"aria-invalid":e?.error?"true":void 0};return c`<li class="card row setting">
    <label for=${o}><code>${t.name}</code></label>
    ${s.length?c`<select ...${r} onChange=${l=>n(t,l.target.value)}>
          ${s.map(l=>c`<option value=${l}>${t.type==="boolean"?a(`settings.${l}`):l||a("settings.empty")}</option>`)}
        </select>`:c`<input ...${r} inputmode=${["integer","number"].includes(t.type)?"decimal":void 0} onInput=${l=>n(t,l.target.value)} />`}
    <p id=${`${o}-meaning`} class="quiet-line">${t.meaning} ${a("settings.default",{value:Ut(t,t.default)})}
      ${t.minimum!==null&&t.maximum!==null&&a("settings.range",{low:t.minimum,high:t.maximum})}
      ${t.is_set&&c`<strong>${a("settings.set")}</strong>`}</p>
    ${e?.error&&c`<p class="error" role="alert">${e.error}</p>`}
  </li>`}function Fr({changes:t,done:e,close:n}){let[o,i]=_(""),[s,r]=_({busy:!1,error:""}),l=async u=>{u.preventDefault(),r({busy:!0,error:""});let f=await Br(o.trim(),Object.fromEntries(Object.entries(t).map(([p,m])=>[p,m.value])));f===null?(n(),e()):r({busy:!1,error:f||a("state.unreachable")})};return c`<${Re} title=${a("settings.save",{n:Object.keys(t).length})} close=${n}>
    <form onSubmit=${l}>
      <p>${a("settings.for_all")}</p>
      <ul>${Object.entries(t).map(([u,f])=>c`<li><code>${u}</code> = ${f.text}</li>`)}</ul>
      <label class="field"><span>${a("settings.key")}</span>
        <input type="password" autocomplete="off" value=${o} onInput=${u=>i(u.target.value)} required /></label>
      <p class="quiet-line">${a("settings.key_text")} <code>react-mem keys create --kind admin</code></p>
      ${s.error&&c`<p class="error" role="alert">${s.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${n}>${a("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${s.busy}>${a("action.save")}</button>
      </div>
    </form>
  <//>`}async function Br(t,e){let n={"Content-Type":"application/json",Authorization:`Bearer ${t}`},o=await fetch(zt,{method:"PUT",headers:n,body:JSON.stringify({settings:e})}).catch(()=>null);return o?.ok?null:(await o?.json().catch(()=>null))?.detail??""}var dt=[{id:"ask",component:Jn},{id:"memories",component:uo},{id:"recall",component:po},{id:"conversations",component:Zn},{id:"rules",component:fo},{id:"jobs",component:so},{id:"learning",component:co},{id:"erasures",component:Yn},{id:"graph",component:to},{id:"settings",component:ho},{id:"health",component:oo}];function mo(){let[t,e]=_(""),[n,o]=_(!1),i=async s=>{s.preventDefault(),o(!0),await Nt(t.trim()),o(!1)};return c`<main class="centre">
    <div class="card sign-in">
      <img src="/ui/icon.svg" width="48" height="48" alt="" />
      <h1>${a("sign_in.title")}</h1>
      <p>${a("sign_in.command")}</p>
      <p><code>react-mem ui</code></p>
      <form onSubmit=${i}>
        <label class="field">
          <span>${a("sign_in.key")}</span>
          <input
            type="password"
            autocomplete="off"
            value=${t}
            aria-describedby="refusal"
            onInput=${s=>e(s.target.value)}
          />
        </label>
        <p id="refusal" class="error" role="alert">${jt.value}</p>
        <button type="submit" class="button primary" disabled=${n||!t.trim()}>${a("sign_in.submit")}</button>
      </form>
    </div>
  </main>`}var Gt=["system","light","dark"],_o="react-mem-theme",go=localStorage.getItem(_o),pt=E(Gt.includes(go)?go:"system");function $o(t){localStorage.setItem(_o,t),pt.value=t}q(()=>{document.documentElement.dataset.theme=pt.value});q(()=>{document.documentElement.lang=z.value});function bo(){return N.value===void 0?c`<main class="centre"><${it} lines=${3} /></main>`:N.value===null?c`<${mo} />`:c`<${Vr} />`}function Vr(){let[t,e]=_(!1),{pane:n}=Z.value,o=dt.find(r=>r.id===(n||dt[0].id)),i=G(null),s=G(!0);return V(()=>{e(!1),document.title=`${o?a(`pane.${o.id}`):a("state.no_page")} · react-mem`,s.current?s.current=!1:i.current?.querySelector("h1")?.focus({preventScroll:!0}),i.current?.scrollTo(0,0)},[o,z.value]),c`<div class="shell">
    <a class="skip" href="#content" onClick=${r=>{r.preventDefault(),i.current?.focus()}}>${a("shell.skip")}</a>
    <header class="topbar">
      <button type="button" class="button quiet" aria-expanded=${t} aria-controls="nav" onClick=${()=>e(!t)}>
        <${fe} name="menu" /><span>${a("shell.menu")}</span>
      </button>
      <${vo} />
    </header>
    <div class=${t?"side open":"side"} id="nav">
      <${vo} />
      <nav aria-label=${a("shell.panes")}>
        <ul>
          ${dt.map(r=>c`<li>
              <a href=${k([r.id])} aria-current=${r===o?"page":void 0} onClick=${()=>e(!1)}>
                <${fe} name=${r.id} />${a(`pane.${r.id}`)}
              </a>
            </li>`)}
        </ul>
      </nav>
      <${Kr} />
    </div>
    <main id="content" tabindex="-1" ref=${i}>
      <${Jr} />
      ${o?c`<${o.component} key=${o.id} />`:c`<${x} title=${a("state.no_page")}><${W} title=${a("state.no_page_text")} /><//>`}
    </main>
    <${In} />
  </div>`}var vo=()=>c`<a class="brand" href=${k([])}><img src="/ui/icon.svg" width="28" height="28" alt="" />react-mem</a>`;function Jr(){return se.value!=="lost"?null:c`<p class="banner" role="status">${a("state.connection_lost")}</p>`}function Kr(){let{user:t,collections:e}=N.value;return c`<div class="foot">
    <p class="who"><span class="avatar" aria-hidden="true">${t.slice(0,1).toUpperCase()}</span
      ><span><strong>${t}</strong><br />${e.join(", ")||a("shell.all_collections")}</span></p>
    <div class="choices">
      <label><span class="unseen">${a("shell.language")}</span>
        <select value=${z.value} onChange=${n=>Rn(n.target.value)}>
          ${Object.entries(rt).map(([n,o])=>c`<option value=${n}>${o}</option>`)}
        </select></label>
      <label><span class="unseen">${a("shell.theme")}</span>
        <select value=${pt.value} onChange=${n=>$o(n.target.value)}>
          ${Gt.map(n=>c`<option value=${n}>${a(`theme.${n}`)}</option>`)}
        </select></label>
    </div>
    <button type="button" class="button quiet" onClick=${jn}>${a("shell.sign_out")}</button>
  </div>`}on(c`<${bo} />`,document.getElementById("app"));Cn();
