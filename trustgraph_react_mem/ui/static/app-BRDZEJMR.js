var b,Jt,gt,oe,ht,Ge,Kt,ze,Zt,_t,mt,bo,xe=Symbol.for("pv"),He={},Fe=[],yo=/^m(i|n|o|s|text|space)$/,$t=Array.isArray,vt=Fe.slice,ce=Object.assign;function le(e){e&&e.parentNode&&e.remove()}function Be(e,t,n){var o,i,s,r={},c=arguments.length;for(s in t)s=="key"?o=t[s]:s=="ref"&&typeof e!="function"?i=t[s]:r[s]=t[s];return c>2&&(r.children=c>3?vt.call(arguments,2):n),ke(e,r,o,i,null)}function ke(e,t,n,o,i){var s={type:e,props:t,key:n,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:xe,__v:i||++Jt,__i:-1,__u:0};return!i&&b.vnode&&b.vnode(s),s}function ue(e){return e.children}function me(e,t){this.props=e,this.context=t,this.__g=0}function re(e,t){if(t==null)return e.__&&re(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:re(e)}function wo(e){var t,n=e.__v,o=n.__e,i=[],s=[],r=e.__P;r&&((t=ce({constructor:xe},n)).__v=n.__v+1,b.vnode&&b.vnode(t),bt(r,t,n,e.__n,r.namespaceURI,32&n.__u?[o]:null,i,o||re(n),32&n.__u,s),t.__v=n.__v,t.__.__k[t.__i]=t,nn(i,t,s),n.__=n.__e=null,t.__e!=o&&Qt(t))}function Qt(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),Qt(e)}function Bt(e){(8&e.__g||(e.__g|=8,oe.push(e),Ge++))&&ht==b.debounceRendering||((ht=b.debounceRendering)||queueMicrotask)(Xt)}function Xt(){try{for(var e,t=1;oe.length;)oe.length>t&&oe.sort(Kt),e=oe.shift(),t=oe.length,8&e.__g&&wo(e)}finally{(Ge=oe.length)&&(ht||queueMicrotask)(Xt)}}function Yt(e,t,n,o,i,s,r,c,u,f,p){var m,h,d,g,T,v,y=o.__k||Fe,$=t.length;for(u=ko(n,t,y,u,$),m=0;m<$;m++)(d=n.__k[m])!=null&&(h=~d.__i&&y[d.__i]||He,d.__i=m,v=bt(e,d,h,i,s,r,c,u,f,p),g=d.__e,(h.ref!=d.ref||8&h.__u)&&(h.ref&&yt(h.ref,null,d,h),d.ref&&p.push(d.ref,d.__c||g,d)),T=T||g,4&d.__u?(u=en(d,u,e,!h.__v),h.__e&&(h.__e=null)):typeof d.type=="function"&&v!==void 0?u=v:g&&(u=g.nextSibling),d.__u&=-21);return n.__e=T,u}function ko(e,t,n,o,i){var s,r,c,u,f,p,m,h,d,g=n.length,T=g,v=0,y=0,$=e.__k=Array(i);for(s=0;s<i;s++)(r=t[s])!=null&&typeof r!="boolean"&&typeof r!="function"?(typeof r!="object"||r.constructor===String?r=$[s]=ke(null,r):$t(r)?r=$[s]=ke(ue,{children:r}):r.constructor===xe&&r.__b?r=$[s]=ke(r.type,r.props,r.key,r.ref,r.__v):$[s]=r,u=s+v,r.__=e,r.__b=e.__b+1,c=null,~(f=r.__i=xo(r,n,u,T))&&(T--,(c=n[f])&&(c.__u|=2)),c&&c.__v?(r.__u|=16,f==u-1?v--:f==u+1?v++:f!=u&&(f>u?v--:v++,y=1)):(~f||(i>g?v--:i<g&&v++),typeof r.type!="function"&&(r.__u|=4))):$[s]=null;if(y){for(p=[],m=[],s=0;s<i;s++)if((r=$[s])&&16&r.__u){for(v=0,h=p.length;v<h;)p[d=v+h>>1]<r.__i?v=d+1:h=d;p[v]=r.__i,m[s]=v+1}for(v=p.length;s--;)m[s]&&(m[s]==v?v--:$[s].__u|=4)}if(T)for(s=0;s<g;s++)!(c=n[s])||2&c.__u||(c.__e==o&&(o=re(c)),wt(c,c));return o}function en(e,t,n,o){var i,s,r,c;if(typeof e.type=="function"){if(e.props.__P)return t;if(i=e.__k)for(s=0;s<i.length;s++)i[s]&&(i[s].__=e,t=en(i[s],t,n,!1));return t}for(t&&!t.parentNode&&(t=re(e))&&!t.parentNode&&(t=null),r=e.__e,c=t;c&&c.nodeType==8;)c=c.nextSibling;for(r!=c&&(!o&&n.moveBefore&&r.parentNode?n.moveBefore(r,t):n.insertBefore(r,t||null)),t=r;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function xo(e,t,n,o){var i,s=e.key,r=e.type,c=t[n],u=c&&!(2&c.__u);if(c===null&&s==null||u&&s==c.key&&r==c.type)return n;if(o>(u?1:0)){for(i=n-1;i>=0;i--)if((c=t[i])&&!(2&c.__u)&&s==c.key&&r==c.type)return i;for(i=n+1;i<t.length;i++)if((c=t[i])&&!(2&c.__u)&&s==c.key&&r==c.type)return i}return-1}function Vt(e,t,n){n==null&&(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function qe(e,t,n,o,i){var s,r;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof o=="string"&&(e.style.cssText=o=""),o)for(t in o)n&&t in n||Vt(e.style,t);if(n)for(t in n)o&&n[t]==o[t]||Vt(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),typeof o!="function"&&(o=null),(e.__e||(e.__e={}))[t]=n,n&&o||(r=mt[t]||(mt[t]=So(t)),(e.__a||(e.__a={}))[t]=_t,s=t!=(t=t.replace(Zt,"$1")),(t=t.slice(2))[0]<"a"&&(t=t.toLowerCase()),n?e.addEventListener(t,r,s):e.removeEventListener(t,r,s));else{if(i=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function So(e){return function(t){var n=this.__e;if(n){if(n=n[e],t[ze]==null)t[ze]=_t++;else if(t[ze]<this.__a[e])return;return n(b.event?b.event(t):t)}}}function bt(e,t,n,o,i,s,r,c,u,f){var p,m,h,d,g,T,v,y,$,P,M,ft,Ht,We,ie,Ft,ne,ae,X=t.type;if(t.constructor!==xe)return null;128&n.__u&&(u=32&n.__u,p=n.__c.__z)&&(t.__u|=u,m=s=[],p.nodeType==8?c=Ue(p,s):s.push(p),c=s[0]||c),(p=b.__b)&&p(t);e:if(typeof X=="function"){h=r.length;try{if(y=t.props,$=(p=X.prototype)&&p.render,P=(p=X.contextType)&&o[p.__c],M=p?P?P.props.value:p.__:o,(d=n.__c)?(t.__c=d,2&d.__g&&(d.__g|=1)):($?t.__c=d=new X(y,M):(t.__c=d=new me(y,M),d.constructor=X,d.render=To),P&&P.sub(d),d.state||(d.state={}),d.__n=o,d.__g|=8,d.__h=[],d.__k=[]),$&&(d.__s||(d.__s=d.state),X.getDerivedStateFromProps&&(d.__s==d.state&&(d.__s=ce({},d.__s)),ce(d.__s,X.getDerivedStateFromProps(y,d.__s)))),g=d.props,T=d.state,d.__v=t,n.__c){if(y!==g&&$&&!X.getDerivedStateFromProps&&d.componentWillReceiveProps&&d.componentWillReceiveProps(y,M),t.__v==n.__v&&!(8&d.__g)||!(4&d.__g)&&d.shouldComponentUpdate&&d.shouldComponentUpdate(y,d.__s,M)===!1){t.__v!=n.__v&&(d.props=y,d.state=d.__s,d.__g&=-9),t.__e=n.__e,t.__k=n.__k,t.__k.some(function(U){U&&(U.__=t)}),Fe.push.apply(d.__h,d.__k),d.__k=[],d.__h.length&&r.push(d),c=re(n);break e}d.componentWillUpdate&&d.componentWillUpdate(y,d.__s,M),$&&d.componentDidUpdate&&d.__h.push(function(){d.componentDidUpdate(g,T,v)})}else $&&!X.getDerivedStateFromProps&&d.componentWillMount&&d.componentWillMount(),$&&d.componentDidMount&&d.__h.push(d.componentDidMount);d.context=M,d.props=y,d.__P=e,d.__g&=-5,ft=b.__r,Ht=$?25:0;do d.__g&=-9,ft&&ft(t),p=d.render(d.props,d.state=d.__s,d.context);while(8&d.__g&&++Ht<25);$&&(Fe.push.apply(d.__h,d.__k),d.__k=[]),d.state=d.__s,d.getChildContext&&(o=ce({},o,d.getChildContext())),$&&n.__c&&d.getSnapshotBeforeUpdate&&(v=d.getSnapshotBeforeUpdate(g,T)),We=p&&p.type===ue&&p.key==null?p.props.children:p,y.__P&&(p=c,i=(e=y.__P).namespaceURI,u=s=null,n.props&&n.props.__P!=e&&(n.__k.some(function(U){U&&wt(U,U)}),n.__k=null),c=n.__k?re(n,0):null),c=Yt(e,$t(We)?We:[We],t,n,o,i,s,r,c,u,f),y.__P&&(t.__e=null,c=p),t.__u&=-161,m&&m.some(le),d.__h.length&&r.push(d),1&d.__g&&(d.__g&=-4)}catch(U){if(r.length=h,t.__v=null,u||s)if(U&&U.then){if(t.__u|=128|u,s){for(~(ne=s.indexOf(c||void 0))||(ne=s.length);(ae=s[ne-1])&&ae.nodeType==8;)ne--;for(;ne<s.length;ne++)if(ae=s[ne])if(s[ne]=null,ie){if(ae==Ft)break}else{if(ae.nodeType!=8)break;ae.data.startsWith("$s")&&(Ft=Ue(ie=ae))}}if(!ie){for(;c&&c.nodeType==8&&c.nextSibling;)c=c.nextSibling;ie=c}(p=Ue(ie=t.__c.__z||(t.__c.__z=ie)))?(t.__e=ie,c=p):t.__e=c,c=c&&c.nextSibling}else s&&s.some(le);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),U&&U.then||tn(t),b.__e(U,t,n)}}else c=t.__e=Eo(n.__e,t,n,o,i,s,r,u,f,e);return(p=b.diffed)&&p(t),c}function Ue(e,t){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(e)}}function tn(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(tn))}function nn(e,t,n){for(var o=0;o<n.length;)yt(n[o++],n[o++],n[o++]);b.__c&&b.__c(t,e),e.some(function(i){try{e=i.__h,i.__h=[],e.some(function(s){s.call(i)})}catch(s){b.__e(s,i.__v)}})}function Eo(e,t,n,o,i,s,r,c,u,f){var p,m,h,d,g,T,v,y,$=n.props||He,P=t.props,M=t.type;if(M=="svg"?i="http://www.w3.org/2000/svg":M=="math"?i="http://www.w3.org/1998/Math/MathML":i||(i="http://www.w3.org/1999/xhtml"),s){for(p=0;p<s.length;p++)if((g=s[p])&&(M?g.localName==M:g.nodeType==3)){e=g,s[p]=null;break}}if(!e){if(y=f.ownerDocument||document,!M)return y.createTextNode(P);e=y.createElementNS(i,M,P.is?P:f),c&&(b.__m&&b.__m(t,s),c=!1),s=null}if(M){if(f=M=="template"&&e.content||e,s=M=="textarea"&&P.defaultValue!=null?null:s&&vt.call(f.childNodes),!c&&s)for($={},p=0;p<e.attributes.length;p++)$[(g=e.attributes[p]).name]=g.value;for(p in $)g=$[p],p=="dangerouslySetInnerHTML"?h=g:p=="children"||p in P||p=="value"&&"defaultValue"in P||p=="checked"&&"defaultChecked"in P||qe(e,p,null,g,i);for(p in P)g=P[p],p=="children"?d=g:p=="dangerouslySetInnerHTML"?m=g:p=="value"?T=g:p=="checked"?v=g:c&&typeof g!="function"||$[p]===g||qe(e,p,g,$[p],i);m?(c||h&&(m.__html==h.__html||m.__html==e.innerHTML)||(e.innerHTML=m.__html),t.__k=[]):(h&&(e.textContent=""),(M=="foreignObject"||i=="http://www.w3.org/1998/Math/MathML"&&yo.test(M))&&(i="http://www.w3.org/1999/xhtml"),Yt(f,$t(d)?d:[d],t,n,o,i,s,r,s?s[0]:n.__k&&re(n,0),c,u),s&&s.some(le)),c&&M!="textarea"||(p="value",M=="progress"&&T==null?e.removeAttribute(p):T==null||T===e[p]&&(M!="progress"||T)||qe(e,p,T,$[p],i),p="checked",v!=null&&v!=e[p]&&qe(e,p,v,$[p],i))}else $===P||c&&e.data==P||(e.data=P);return e}function yt(e,t,n,o){try{typeof e=="function"?t?t.__x=e(t)||1:o&&(o=o.__c||o.__e)&&(t=o.__x)&&(o.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(i){b.__e(i,n)}}function wt(e,t,n){var o,i,s,r;if(b.unmount&&b.unmount(e),!(o=e.ref)||o.current&&o.current!=e.__e||yt(o,null,t,e),o=e.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(c){b.__e(c,t)}o.__P=o.__n=null}if(o=e.__k)for(r=0;r<o.length;r++)o[r]&&wt(o[r],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(o=e.__c)&&(o=o.__z)&&(i=Ue(o,s=[]))&&(o==e.__e&&s.some(le),le(i),le(o)),n||le(e.__e),e.__e=e.__c=e.__=null}function To(e,t,n){return this.constructor(e,n)}function on(e,t){var n,o,i,s;b.__&&b.__(e,t),t.nodeType==9&&(t=t.documentElement),o=(n=e&&32&e.__u)?null:t.__k,t.__k=ke(ue,{children:[e]}),i=[],s=[],bt(t,t.__k,o||He,He,t.namespaceURI,o?null:t.firstChild?vt.call(t.childNodes):null,i,o?o.__e:t.firstChild,n,s),nn(i,t.__k,s),t.__k.props.children=null}b={__e:function(e,t,n,o){for(var i,s,r;t=t.__;)if((i=t.__c)&&!(1&i.__g)){i.__g|=4;try{if((r=(s=i.constructor)&&s.getDerivedStateFromError)&&i.setState(s.getDerivedStateFromError(e)),i.componentDidCatch&&(i.componentDidCatch(e,o||{}),r=1),r&&8&i.__g)return void(i.__g|=2)}catch(c){e=c}}throw Ge=0,e}},Jt=0,gt=function(e){return e!=null&&e.constructor===xe},me.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=ce({},this.state)),typeof e=="function"&&(e=e(ce({},n),this.props)),e&&(ce(n,e),this.__v&&(t&&this.__k.push(t),Bt(this)))},me.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Bt(this))},me.prototype.render=ue,oe=[],Ge=0,Kt=function(e,t){return e.__v.__b-t.__v.__b},ze=Symbol(),Zt=/(PointerCapture)$|Capture$/i,_t=0,mt={},bo=0;var Ee,L,kt,rn,xt=Object.is,Te=0,hn=[],St=[],j=b,sn=j.__b,an=j.__r,ln=j.diffed,cn=j.__c,un=j.unmount,dn=j.__;function Tt(e,t){j.__h&&j.__h(L,e,Te||t),Te=0;var n=L.__H||(L.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function _(e){return Te=1,Mo(_n,e)}function Mo(e,t,n){var o=Tt(Ee++,2);if(o.t=e,!o.__c&&(o.__=[n?n(t):_n(void 0,t),function(s){var r=(o.__N||o.__)[0],c=o.t(r,s);xt(r,c)||(o.__N=[c,o.__[1]],o.__c.setState({}))}],o.__c=L,!L.__f)){L.__f=!0;var i=L.shouldComponentUpdate;L.shouldComponentUpdate=function(s,r,c){var u=this.__H;if(!u)return!0;var f=!1,p=this.props!=s;if(u.__.some(function(h){h.__N&&(f=!0,xt(h.__[0],h.__N[0])||(p=!0))}),i){var m=i.call(this,s,r,c);return f?m||p:m}return!f||p}}return o.__}function V(e,t){var n=Tt(Ee++,3);!j.__s&&gn(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,L.__H.__h.push(n))}function G(e){return Te=5,Me(function(){return{current:e}},[])}function Me(e,t){var n=Tt(Ee++,7);return gn(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function mn(e,t){return Te=8,Me(function(){return e},t)}function Ao(){var e;do{for(;e=St.shift();)try{Se(e)}catch(n){j.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=hn.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Se),t.__h.some(Et),t.__h=[]}catch(n){t.__h=[],j.__e(n,e.__v)}}}while(St.length)}j.__b=function(e){L=null,sn&&sn(e)},j.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),dn&&dn(e,t)},j.__r=function(e){an&&an(e),Ee=0;var t=(L=e.__c).__H;t&&(kt==L?L.__h=[]:(t.__h.some(Se),t.__h.some(Et),Ee=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),kt=L},j.diffed=function(e){ln&&ln(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&fn(hn.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),kt=L=null},j.__c=function(e,t){t.some(function(n){try{n.__h.some(Se),n.__h=n.__h.filter(function(o){return!o.__||Et(o)})}catch(o){n.__h=[function(){throw o}]}}),cn&&cn(e,t)},j.unmount=function(e){un&&un(e);var t,n,o=e.__c;o&&o.__H&&(o.__H.__.some(function(i){try{if(i.__P&&i.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}i.__P=n,fn(St.push(i))}else Se(i)}catch(s){t=s}}),o.__H=void 0,t&&j.__e(t,o.__v))};var pn=typeof requestAnimationFrame=="function";function Co(e){var t,n=function(){clearTimeout(o),pn&&cancelAnimationFrame(t),setTimeout(e)},o=setTimeout(n,35);pn&&(t=requestAnimationFrame(n))}function fn(e){e!=1&&rn==j.requestAnimationFrame||((rn=j.requestAnimationFrame)||Co)(Ao)}function Se(e){var t=L,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),L=t}function Et(e){var t=L;e.__c=e.__(),L=t}function gn(e,t){return!e||e.length!=t.length||t.some(function(n,o){return!xt(n,e[o])})}function _n(e,t){return typeof t=="function"?t(e):t}var jo=Symbol.for("preact-signals");function Ze(){if(Y>1)Y--;else{var e,t=!1;for((function(){var i=Je;for(Je=void 0;i!==void 0;){var s=i.S;if(s.v===i.v)for(var r=s.t;r!==void 0;r=r.x)r.i===i.i&&(r.i=s.i);i=i.o}})();Ce!==void 0;){var n=Ce;for(Ce=void 0,Ve++;n!==void 0;){var o=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&vn(n))try{n.c()}catch(i){t||(e=i,t=!0)}n=o}}if(Ve=0,Y--,t)throw e}}function At(e){if(Y>0)return e();Mt=++No,Y++;try{return e()}finally{Ze()}}var Ae,S=void 0;function je(e){var t=S,n=Ae;S=void 0,Ae=void 0;try{return e()}finally{S=t,Ae=n}}var Ce=void 0,Y=0,Ve=0,No=0,Mt=0,Je=void 0,Ke=0;function $n(e){if(S!==void 0){var t=e.n;if(t===void 0||t.t!==S)return t={i:0,S:e,p:S.s,n:void 0,t:S,e:void 0,x:void 0,r:t},S.s!==void 0&&(S.s.n=t),S.s=t,e.n=t,32&S.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=S.s,t.n=void 0,S.s.n=t,S.s=t),t}}function R(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=t?.watched,this.Z=t?.unwatched,this.name=t?.name}R.prototype.brand=jo;R.prototype.h=function(){return!0};R.prototype.S=function(e){var t=this,n=this.t;n!==e&&e.e===void 0&&(e.x=n,this.t=e,n!==void 0?n.e=e:je(function(){var o;(o=t.W)==null||o.call(t)}))};R.prototype.U=function(e){var t=this;if(this.t!==void 0){var n=e.e,o=e.x;n!==void 0&&(n.x=o,e.e=void 0),o!==void 0&&(o.e=n,e.x=void 0),e===this.t&&(this.t=o,o===void 0&&je(function(){var i;(i=t.Z)==null||i.call(t)}))}};R.prototype.subscribe=function(e){var t=this;return q(function(){var n=t.value;je(function(){return e(n)})},{name:"sub"})};R.prototype.valueOf=function(){return this.value};R.prototype.toString=function(){return this.value+""};R.prototype.toJSON=function(){return this.value};R.prototype.peek=function(){var e=this;return je(function(){return e.value})};Object.defineProperty(R.prototype,"value",{get:function(){var e=$n(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){if(Ve>100)throw new Error("Cycle detected");(function(n){Y!==0&&Ve===0&&n.l!==Mt&&(n.l=Mt,Je={S:n,v:n.v,i:n.i,o:Je})})(this),this.v=e,this.i++,Ke++,Y++;try{for(var t=this.t;t!==void 0;t=t.x)t.t.N()}finally{Ze()}}}});function E(e,t){return new R(e,t)}function vn(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==t.i)return!0;return!1}function bn(e){for(var t=e.s;t!==void 0;t=t.n){var n=t.S.n;if(n!==void 0&&(t.r=n),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function yn(e){for(var t=e.s,n=void 0;t!==void 0;){var o=t.p;t.i===-1?(t.S.U(t),o!==void 0&&(o.n=t.n),t.n!==void 0&&(t.n.p=o)):n=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=o}e.s=n}function de(e,t){R.call(this,void 0,t),this.x=e,this.s=void 0,this.g=Ke-1,this.f=4}de.prototype=new R;de.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===Ke))return!0;if(this.g=Ke,this.f|=1,this.i>0&&!vn(this))return this.f&=-2,!0;var e=S;try{bn(this),S=this;var t=this.x();(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return S=e,yn(this),this.f&=-2,!0};de.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}R.prototype.S.call(this,e)};de.prototype.U=function(e){if(this.t!==void 0&&(R.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};de.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(de.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=$n(this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function ge(e,t){return new de(e,t)}function wn(e){var t=e.j;if(e.j=void 0,typeof t=="function"){Y++;var n=S;S=void 0;try{t()}catch(o){throw e.f&=-2,e.f|=8,Ct(e),o}finally{S=n,Ze()}}}function Ct(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,wn(e)}function Do(e){if(S!==this)throw new Error("Out-of-order effect");yn(this),S=e,this.f&=-2;try{8&this.f&&Ct(this)}finally{Ze()}}function _e(e,t){this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=t?.name,Ae&&Ae.push(this)}_e.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t=="function"&&(this.j=t)}finally{e()}};_e.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,wn(this),bn(this),Y++;var e=S;return S=this,Do.bind(this,e)};_e.prototype.N=function(){2&this.f||(this.f|=2,this.u=Ce,Ce=this)};_e.prototype.d=function(){this.f|=8,1&this.f||Ct(this)};_e.prototype.dispose=function(){this.d()};function q(e,t){var n=new _e(e,t);try{n.c()}catch(i){throw n.d(),i}var o=n.d.bind(n);return o[Symbol.dispose]=o,o}var kn,Xe,Qe,Oo=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var xn=[];q(function(){kn=this.N})();function $e(e,t){b[e]=t.bind(null,b[e]||function(){})}function Ne(e){if(Qe){var t=Qe;Qe=void 0,t()}Qe=e&&e.S()}function Sn(e){var t=this,n=e.data,o=Ro(n);o.name="ReactiveDom",o.value=n;var i=Me(function(){for(var c=t,u=t.__v;u=u.__;)if(u.__c){u.__c.__$f|=4;break}var f=ge(function(){var d=o.value.value;return d===0?0:d===!0?"":d||""}),p=ge(function(){return!Array.isArray(f.value)&&!gt(f.value)}),m=q(function(){if(this.N=En,p.value){var d=f.value;c.__v&&c.__v.__e&&c.__v.__e.nodeType===3&&(c.__v.__e.data=d)}}),h=t.__$u.d;return t.__$u.d=function(){m(),h.call(this)},[p,f]},[]),s=i[0],r=i[1];return s.value?r.peek():r.value}Sn.displayName="ReactiveTextNode";Object.defineProperties(R.prototype,{constructor:{configurable:!0,value:Be(ue,null).constructor},type:{configurable:!0,value:Sn},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});$e("__b",function(e,t){if(Ne(),Xe=void 0,typeof t.type=="string"){var n,o=t.props;for(var i in o)if(i!=="children"){var s=o[i];s instanceof R&&(n||(t.__np=n={}),n[i]=s,o[i]=s.peek())}}e(t)});$e("__r",function(e,t){if(e(t),t.type!==ue){Ne();var n,o=t.__c;o&&(o.__$f&=-2,(n=o.__$u)===void 0&&(o.__$u=n=(function(i,s){var r;return q(function(){r=this},{name:s}),r.c=i,r})((function(i){return function(){var s;Oo&&((s=this.y)==null||s.call(this)),i.__$f|=1,i.setState({})}})(o),typeof t.type=="function"?t.type.displayName||t.type.name:""))),Xe=o,Ne(n)}});$e("__e",function(e,t,n,o){Ne(),Xe=void 0,e(t,n,o)});$e("diffed",function(e,t){Ne(),Xe=void 0;var n;if(typeof t.type=="string"&&(n=t.__e)){var o=t.__np,i=t.props,s=n.U;if(s)for(var r in s){var c=s[r];c===void 0||o&&r in o||(c.d(),s[r]=void 0)}if(o){s||(s={},n.U=s);for(var u in o){var f=s[u],p=o[u];f===void 0?(f=Lo(n,u,p,i),s[u]=f):f.o(p,i)}}}e(t)});function Lo(e,t,n,o){var i=t in e&&e.ownerSVGElement===void 0,s=E(n);return{o:function(r,c){s.value=r,o=c},d:q(function(){this.N=En;var r=s.value.value;o[t]!==r&&(o[t]=r,i?e[t]=r:r!=null&&(r!==!1||t[4]==="-")?e.setAttribute(t,r):e.removeAttribute(t))})}}$e("unmount",function(e,t){if(typeof t.type=="string"){var n=t.__e;if(n){var o=n.U;if(o){n.U=void 0;for(var i in o){var s=o[i];s&&s.d()}}}var r=t.__np;if(r){var c=t.props;for(var u in r)c[u]=r[u]}t.__np=void 0}else{var f=t.__c;if(f){f.__$f|=8;var p=f.__$u;p&&(f.__$u=void 0,p.d())}}e(t)});$e("__h",function(e,t,n,o){o<3&&(t.__$f|=2),e(t,n,o)});me.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var n=this.__$u,o=n&&n.s!==void 0;for(var i in t)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var s=2&this.__$f;if(!(o||s||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var r in e)if(r!=="__source"&&e[r]!==this.props[r])return!0;for(var c in this.props)if(!(c in e))return!0;return!1};function Ro(e,t){return Me(function(){return E(e,t)},[])}var Po=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Io(){At(function(){for(var e;e=xn.shift();)kn.call(e)})}function En(){xn.push(this)===1&&(b.requestAnimationFrame||Po)(Io)}var Mn=function(e,t,n,o){var i;t[0]=0;for(var s=1;s<t.length;s++){var r=t[s++],c=t[s]?(t[0]|=r?1:2,n[t[s++]]):t[++s];r===3?o[0]=c:r===4?o[1]=Object.assign(o[1]||{},c):r===5?(o[1]=o[1]||{})[t[++s]]=c:r===6?o[1][t[++s]]+=c+"":r?(i=e.apply(c,Mn(e,c,n,["",null])),o.push(i),c[0]?t[0]|=2:(t[s-2]=0,t[s]=i)):o.push(c)}return o},Tn=new Map;function An(e){var t=Tn.get(this);return t||(t=new Map,Tn.set(this,t)),(t=Mn(this,t.get(e)||(t.set(e,t=(function(n){for(var o,i,s=1,r="",c="",u=[0],f=function(h){s===1&&(h||(r=r.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?u.push(0,h,r):s===3&&(h||r)?(u.push(3,h,r),s=2):s===2&&r==="..."&&h?u.push(4,h,0):s===2&&r&&!h?u.push(5,0,!0,r):s>=5&&((r||!h&&s===5)&&(u.push(s,0,r,i),s=6),h&&(u.push(s,h,0,i),s=6)),r=""},p=0;p<n.length;p++){p&&(s===1&&f(),f(p));for(var m=0;m<n[p].length;m++)o=n[p][m],s===1?o==="<"?(f(),u=[u],s=3):r+=o:s===4?r==="--"&&o===">"?(s=1,r=""):r=o+r[0]:c?o===c?c="":r+=o:o==='"'||o==="'"?c=o:o===">"?(f(),s=1):s&&(o==="="?(s=5,i=r,r=""):o==="/"&&(s<5||n[p][m+1]===">")?(f(),s===3&&(u=u[0]),s=u,(u=u[0]).push(2,0,s),s=0):o===" "||o==="	"||o===`
`||o==="\r"?(f(),s=2):r+=o),s===3&&r==="!--"&&(s=4,u=u[0])}return f(),u})(e)),t),arguments,[])).length>1?t:t[0]}var l=An.bind(Be);var N=E(void 0),jt=E(""),Wo=/^#token=([\w-]+)$/;async function Cn(){let e=Wo.exec(location.hash);if(e&&(history.replaceState(null,"",location.pathname+location.search),await Nt(e[1])))return;let t=await fetch("/ui/session").catch(()=>null);N.value=t?.ok?await t.json():null}async function Nt(e){let t={Authorization:`Bearer ${e}`},n=await fetch("/ui/session",{method:"POST",headers:t}).catch(()=>null),o=await n?.json().catch(()=>null);return jt.value=n?.ok?"":o?.detail??"",n?.ok&&(N.value=o),!!n?.ok}async function jn(){await fetch("/ui/session",{method:"DELETE",headers:{"X-CSRF-Token":N.value?.csrf??""}}).catch(()=>null),N.value=null}var se=E("idle"),Nn="events",Ot=500,qo=1e4,zo=4401,pe=new Map,Dt=new Set,H=null,Ye="",Uo=0,De=Ot,Lt=0;function et(){clearTimeout(Lt),!(!N.value||H)&&(se.value=se.value==="lost"?"lost":"connecting",H=new WebSocket(`${location.protocol==="https:"?"wss:":"ws:"}//${location.host}/v1/socket`),H.onopen=()=>H?.send(JSON.stringify({type:"auth",csrf:N.value?.csrf??""})),H.onmessage=({data:e})=>Ho(JSON.parse(e)),H.onclose=({code:e})=>Go(e))}function Go(e){H=null;for(let[t,{reject:n}]of pe)pe.delete(t),n(new Error("lost"));if(e===zo&&(N.value=null),!N.value){se.value="idle";return}se.value="lost",Lt=setTimeout(et,De*(.5+Math.random()/2)),De=Math.min(De*2,qo)}function Ho(e){if(e.type==="auth-ok"){De=Ot,se.value="open";let n=Ye?{after:Ye}:{};H.send(JSON.stringify({id:Nn,service:"events",request:{operation:"subscribe",...n}}));for(let{frame:o}of pe.values())H.send(o);return}if(e.type==="auth-failed"){N.value=null;return}if(e.id===Nn){e.response?.cursor&&(Ye=e.response.cursor),e.response?.kind&&Fo(e.response);return}let t=pe.get(e.id);if(t){if(e.error){pe.delete(e.id),t.reject(new Error(e.error.message));return}t.take(e.response),e.complete&&(pe.delete(e.id),t.resolve())}}function Fo(e){for(let t of Dt)(e.kind==="lost"||t.kinds.some(n=>e.kind.startsWith(n)))&&t.take(e)}function Dn(e,t){let n=`q${Uo+=1}`,o=JSON.stringify({id:n,service:"agent",request:e});return new Promise((i,s)=>{pe.set(n,{frame:o,take:t,resolve:i,reject:s}),se.value==="open"?H.send(o):et()})}function tt(e,t){let n={kinds:e,take:t};return Dt.add(n),()=>Dt.delete(n)}q(()=>{N.value?et():(clearTimeout(Lt),Ye="",H?.close())});addEventListener("online",()=>{De=Ot,et()});var nt=class extends Error{constructor(t,n){super(n),this.status=t}};async function Oe(e,t,{query:n={},body:o,headers:i={},signal:s}={}){let r=Object.entries(n).filter(([,p])=>p!==""&&p!==void 0&&p!==null),c=r.length?`${t}?${new URLSearchParams(r)}`:t,u=await fetch(c,{method:e,signal:s,headers:{...o===void 0?{}:{"Content-Type":"application/json"},...e==="GET"?{}:{"X-CSRF-Token":N.value?.csrf??""},...i},body:o===void 0?void 0:JSON.stringify(o)}).catch(p=>{throw p.name==="AbortError"?p:new nt(0,"")}),f=await u.json().catch(()=>null);if(u.status===401&&(N.value=null),!u.ok)throw new nt(u.status,f?.detail??u.statusText);return f}var k=(e,t,n)=>Oe("GET",e,{query:t,...n}),J=(e,t={},n)=>Oe("POST",e,{body:t,...n}),ot=(e,t,n)=>Oe("PUT",e,{body:t,...n}),On=(e,t,n)=>Oe("PATCH",e,{body:t,...n}),ee=(e,t,n)=>Oe("DELETE",e,{query:t,...n});var Rt={"shell.skip":{en:"Skip to the content",de:"Zum Inhalt springen"},"shell.menu":{en:"Menu",de:"Menü"},"shell.panes":{en:"Panes",de:"Bereiche"},"shell.language":{en:"Language",de:"Sprache"},"shell.theme":{en:"Colours",de:"Farben"},"shell.sign_out":{en:"Sign out",de:"Abmelden"},"shell.all_collections":{en:"all collections",de:"alle Sammlungen"},"theme.system":{en:"As the system",de:"Wie das System"},"theme.light":{en:"Light",de:"Hell"},"theme.dark":{en:"Dark",de:"Dunkel"},"sign_in.title":{en:"Sign in",de:"Anmelden"},"sign_in.command":{en:"This command opens the page and signs you in:",de:"Dieser Befehl öffnet die Seite und meldet Sie an:"},"sign_in.key":{en:"Or a user key",de:"Oder ein Schlüssel eines Benutzers"},"sign_in.submit":{en:"Sign in",de:"Anmelden"},"state.loading":{en:"Loading",de:"Wird geladen"},"state.failed":{en:"That did not work.",de:"Das hat nicht funktioniert."},"state.unreachable":{en:"The server does not answer. It may have stopped: start it with react-mem up.",de:"Der Server antwortet nicht. Vielleicht läuft er nicht mehr: react-mem up startet ihn."},"state.connection_lost":{en:"The connection is lost. The page connects again by itself.",de:"Die Verbindung ist unterbrochen. Die Seite verbindet sich von selbst wieder."},"state.no_page":{en:"Page not found",de:"Seite nicht gefunden"},"state.no_page_text":{en:"Choose a pane in the menu.",de:"Wählen Sie einen Bereich im Menü."},"action.retry":{en:"Try again",de:"Noch einmal"},"action.cancel":{en:"Cancel",de:"Abbrechen"},"action.undo":{en:"Undo",de:"Rückgängig"},"confirm.type":{en:"Type {word} to confirm",de:"Zur Bestätigung {word} eingeben"},"pane.ask":{en:"Ask",de:"Fragen"},"pane.memories":{en:"Memories",de:"Erinnerungen"},"pane.recall":{en:"Recall debugger",de:"Abruf untersuchen"},"kind.turn":{en:"turn",de:"Äußerung"},"kind.semantic":{en:"fact",de:"Fakt"},"kind.procedural":{en:"rule",de:"Regel"},"kind.reflective":{en:"insight",de:"Einsicht"},"kind.topic":{en:"topic",de:"Thema"},"status.active":{en:"active",de:"aktiv"},"status.superseded":{en:"superseded",de:"überholt"},"status.quarantined":{en:"held back",de:"zurückgehalten"},"status.undone":{en:"undone",de:"rückgängig"},"status.pending":{en:"waiting",de:"wartet"},"status.queued":{en:"waiting",de:"wartet"},"status.deferred":{en:"waiting for the model",de:"wartet auf das Modell"},"status.running":{en:"running",de:"läuft"},"status.succeeded":{en:"done",de:"fertig"},"status.failed":{en:"failed",de:"fehlgeschlagen"},"status.cancelled":{en:"cancelled",de:"abgebrochen"},"step.thought":{en:"Thought",de:"Gedanke"},"step.action":{en:"Action",de:"Aktion"},"step.observation":{en:"Observation",de:"Beobachtung"},"job.record":{en:"record",de:"Aufzeichnung"},"job.extract":{en:"extraction",de:"Auswertung"},"job.forget":{en:"erasure",de:"Löschung"},"pane.conversations":{en:"Conversations",de:"Gespräche"},"pane.rules":{en:"Rules and profile",de:"Regeln und Profil"},"pane.jobs":{en:"Jobs",de:"Aufträge"},"pane.learning":{en:"Learning",de:"Lernen"},"pane.erasures":{en:"Erasures",de:"Löschungen"},"pane.graph":{en:"Neighbourhood",de:"Umgebung"},"pane.settings":{en:"Settings",de:"Einstellungen"},"pane.health":{en:"Health",de:"Zustand"},"action.forget":{en:"Erase",de:"Löschen"},"action.edit":{en:"Edit",de:"Bearbeiten"},"action.save":{en:"Save",de:"Speichern"},"list.shown":{en:{one:"{n} shown",other:"{n} shown"},de:{one:"{n} gezeigt",other:"{n} gezeigt"}},"list.more":{en:"Show more",de:"Mehr zeigen"},"list.or_more":{en:"{n} or more",de:"{n} oder mehr"},"chart.table":{en:"As a table",de:"Als Tabelle"},"chart.turn":{en:"Turn",de:"Runde"},"conversations.lead":{en:"What was said, and what was learned from it.",de:"Was gesagt wurde, und was daraus gelernt wurde."},"conversations.views":{en:"Views",de:"Ansichten"},"conversations.list":{en:"Conversations",de:"Gespräche"},"conversations.episodes":{en:"Episodes",de:"Episoden"},"conversations.empty":{en:"No conversation yet",de:"Noch kein Gespräch"},"conversations.empty_text":{en:"Ask something here, or begin one in a terminal:",de:"Fragen Sie hier etwas, oder beginnen Sie eines im Terminal:"},"conversations.exchanges":{en:{one:"{n} exchange",other:"{n} exchanges"},de:{one:"{n} Wortwechsel",other:"{n} Wortwechsel"}},"conversations.ended":{en:"ended",de:"beendet"},"conversations.open":{en:"open",de:"offen"},"conversations.one":{en:"Conversation",de:"Gespräch"},"conversations.back":{en:"All conversations",de:"Alle Gespräche"},"conversations.learned":{en:{one:"{n} memory from it",other:"{n} memories from it"},de:{one:"{n} Erinnerung daraus",other:"{n} Erinnerungen daraus"}},"conversations.memories":{en:"What was remembered from it",de:"Was daraus behalten wurde"},"conversations.end":{en:"End the conversation",de:"Gespräch beenden"},"conversations.end_text":{en:"What follows from it is learned now. A later question begins a new conversation.",de:"Was daraus folgt, wird jetzt gelernt. Eine spätere Frage beginnt ein neues Gespräch."},"conversations.now_ended":{en:"The conversation is ended. Learning from it begins.",de:"Das Gespräch ist beendet. Jetzt wird daraus gelernt."},"conversations.forget":{en:"Erase the conversation",de:"Gespräch löschen"},"conversations.forget_text":{en:"This erases for good, with everything derived from it: exchanges: {exchanges}, memories: {memories}.",de:"Das löscht endgültig, mit allem, was davon abgeleitet ist: Wortwechsel: {exchanges}, Erinnerungen: {memories}."},"conversations.forgotten":{en:"The conversation is erased.",de:"Das Gespräch ist gelöscht."},"episodes.empty":{en:"No episode yet",de:"Noch keine Episode"},"episodes.empty_text":{en:"An episode is a task with its steps and outcome. The agent keeps one when it has solved a task with tools.",de:"Eine Episode ist eine Aufgabe mit Schritten und Ergebnis. Der Agent behält eine, wenn er eine Aufgabe mit Werkzeugen gelöst hat."},"episodes.succeeded":{en:"succeeded",de:"gelungen"},"episodes.failed":{en:"failed",de:"misslungen"},"episodes.conversation":{en:"Conversation",de:"Gespräch"},"episodes.lessons":{en:"Lessons:",de:"Lehren:"},"episodes.steps":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"episodes.forget":{en:"Erase the episode",de:"Episode löschen"},"episodes.forget_text":{en:"This erases the episode for good.",de:"Das löscht die Episode endgültig."},"episodes.forgotten":{en:"The episode is erased.",de:"Die Episode ist gelöscht."},"rules.lead":{en:"What the agent follows in each answer, and its summary of you.",de:"Woran sich der Agent in jeder Antwort hält, und seine Zusammenfassung über Sie."},"rules.add":{en:"Add a rule",de:"Regel hinzufügen"},"rules.edit":{en:"Edit the rule",de:"Regel bearbeiten"},"rules.empty":{en:"No rule yet",de:"Noch keine Regel"},"rules.empty_text":{en:"Tell the agent what it should always or never do, or add a rule here.",de:"Sagen Sie dem Agenten, was er immer oder nie tun soll, oder fügen Sie hier eine Regel hinzu."},"rules.when":{en:"When: {condition}",de:"Wenn: {condition}"},"rules.history":{en:"History",de:"Verlauf"},"rules.condition":{en:"When it applies (empty: always)",de:"Wann sie gilt (leer: immer)"},"rules.action":{en:"What to do",de:"Was zu tun ist"},"rules.saved":{en:"The rule is saved.",de:"Die Regel ist gespeichert."},"rules.forget":{en:"Erase the rule",de:"Regel löschen"},"rules.forget_text":{en:"This erases the rule for good.",de:"Das löscht die Regel endgültig."},"rules.forgotten":{en:"The rule is erased.",de:"Die Regel ist gelöscht."},"rules.profile":{en:"Profile",de:"Profil"},"rules.no_profile":{en:"There is no profile. The setting enable-profile makes one when a conversation ends.",de:"Es gibt kein Profil. Mit der Einstellung enable-profile entsteht eines am Ende eines Gesprächs."},"jobs.lead":{en:"What runs in the background, what waits, and what failed.",de:"Was im Hintergrund läuft, was wartet und was fehlgeschlagen ist."},"jobs.filter":{en:"State",de:"Stand"},"jobs.all":{en:"all",de:"alle"},"jobs.empty":{en:"No job",de:"Kein Auftrag"},"jobs.empty_text":{en:"Jobs follow each answer: they record it and learn from it.",de:"Aufträge folgen auf jede Antwort: Sie zeichnen sie auf und lernen daraus."},"jobs.attempt":{en:"attempt {n}",de:"Versuch {n}"},"jobs.retry":{en:"Run again",de:"Noch einmal ausführen"},"jobs.retry_done":{en:"The job runs again.",de:"Der Auftrag läuft noch einmal."},"jobs.cancel":{en:"Cancel the job",de:"Auftrag abbrechen"},"jobs.cancel_done":{en:"The job is cancelled.",de:"Der Auftrag ist abgebrochen."},"jobs.drop":{en:"Drop the job",de:"Auftrag verwerfen"},"jobs.drop_text":{en:"The job ({kind}) is discarded with what it was to work on. Memories stay.",de:"Der Auftrag ({kind}) wird verworfen, mit dem, was er bearbeiten sollte. Erinnerungen bleiben."},"jobs.dropped":{en:"The job is dropped.",de:"Der Auftrag ist verworfen."},"jobs.embedding":{en:"The embedding model is being changed: {scopes} scopes with {records} records remain.",de:"Das Einbettungsmodell wird gewechselt: {scopes} Bereiche mit {records} Einträgen stehen aus."},"job.reward":{en:"learning",de:"Lernen"},"job.reembed":{en:"embedding",de:"Einbettung"},"job.profile":{en:"profile",de:"Profil"},"job.reflect":{en:"reflection",de:"Reflexion"},"job.consolidate":{en:"consolidation",de:"Zusammenführung"},"job.compact":{en:"summary",de:"Zusammenfassung"},"learning.lead":{en:"The ranking learns from which memories an answer cites.",de:"Die Reihenfolge lernt daraus, welche Erinnerungen eine Antwort nennt."},"learning.empty":{en:"Nothing learned yet",de:"Noch nichts gelernt"},"learning.empty_text":{en:"The ranking learns when an answer cites its memories.",de:"Die Reihenfolge lernt, wenn eine Antwort ihre Erinnerungen nennt."},"learning.early":{en:"It is too early to say whether learning helps: of {needed} answers needed in which the learned order and that of retrieval differ, there are {won} won and {lost} lost.",de:"Ob das Lernen hilft, ist noch nicht zu sagen: Nötig sind {needed} Antworten, in denen sich die gelernte Reihenfolge unterscheidet; {won} waren besser, {lost} schlechter."},"learning.helps":{en:"Learning helps: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.no_help":{en:"Learning does not help so far: the learned order was better in {won} answers and worse in {lost}, so it counts with weight {trust}.",de:"Das Lernen hilft bisher nicht: Die gelernte Reihenfolge war in {won} Antworten besser und in {lost} schlechter; sie zählt mit Gewicht {trust}."},"learning.off":{en:"Nothing was learned from the last answer: a setting switches it off here.",de:"Aus der letzten Antwort wurde nichts gelernt: Eine Einstellung schaltet das hier ab."},"learning.turns":{en:{one:"answer",other:"answers"},de:{one:"Antwort",other:"Antworten"}},"learning.updates":{en:"updates",de:"Anpassungen"},"learning.trust":{en:"trust in the learned order",de:"Vertrauen in die gelernte Reihenfolge"},"learning.citations":{en:"Citations",de:"Nennungen"},"learning.rewards":{en:"Reward",de:"Belohnung"},"learning.weights":{en:"Weights in time",de:"Gewichte im Lauf der Zeit"},"learning.citation_rate":{en:"citation rate",de:"Anteil der Genannten"},"learning.mrr_shown":{en:"reciprocal rank of the first cited",de:"Kehrwert des Rangs der ersten Genannten"},"learning.reward":{en:"reward",de:"Belohnung"},"learning.weight_norm":{en:"weight norm",de:"Norm der Gewichte"},"learning.means":{en:"Citation rate, rank and reward are means of {n} turns.",de:"Anteil, Rang und Belohnung sind Mittel über {n} Runden."},"learning.features":{en:"Learned weights",de:"Gelernte Gewichte"},"erasures.lead":{en:"Whether memory is used, what is erased, and the proof that it is gone.",de:"Ob Erinnerungen benutzt werden, was gelöscht wird, und der Nachweis, dass es fort ist."},"erasures.switches":{en:"Use of memory",de:"Gebrauch der Erinnerung"},"erasures.read":{en:"Recall",de:"Abrufen"},"erasures.read_text":{en:"Answers may rest on what was remembered. Off: nothing is shown or recalled.",de:"Antworten dürfen auf Erinnerungen beruhen. Aus: Nichts wird gezeigt oder abgerufen."},"erasures.write":{en:"Record",de:"Aufzeichnen"},"erasures.write_text":{en:"What you say is remembered. Off: nothing new is stored.",de:"Was Sie sagen, wird behalten. Aus: Nichts Neues wird gespeichert."},"erasures.read_on":{en:"Recall is on.",de:"Abrufen ist an."},"erasures.read_off":{en:"Recall is off.",de:"Abrufen ist aus."},"erasures.write_on":{en:"Recording is on.",de:"Aufzeichnen ist an."},"erasures.write_off":{en:"Recording is off.",de:"Aufzeichnen ist aus."},"erasures.all":{en:"Erase everything",de:"Alles löschen"},"erasures.all_text":{en:"Single memories and conversations are erased in their own panes.",de:"Einzelne Erinnerungen und Gespräche werden in ihren Bereichen gelöscht."},"erasures.collection":{en:"Erase the collection {name}",de:"Sammlung {name} löschen"},"erasures.user":{en:"Erase all collections of {name}",de:"Alle Sammlungen von {name} löschen"},"erasures.for_good":{en:"This erases for good. An undo does not bring it back.",de:"Das löscht endgültig. Kein Rückgängig bringt es wieder."},"erasures.episodes":{en:"episodes",de:"Episoden"},"erasures.conversations":{en:"conversations",de:"Gespräche"},"erasures.done":{en:"Erased. The receipt is below.",de:"Gelöscht. Die Quittung steht unten."},"erasures.receipts":{en:"Receipts",de:"Quittungen"},"erasures.empty":{en:"Nothing was erased yet",de:"Noch nichts gelöscht"},"erasures.empty_text":{en:"Each erasure leaves a receipt: what was found, removed and left in each store. It holds numbers and no text.",de:"Jede Löschung hinterlässt eine Quittung: was in jedem Speicher gefunden, entfernt und übrig ist. Sie enthält Zahlen und keinen Text."},"receipt.show":{en:"Show the receipt",de:"Quittung zeigen"},"receipt.complete":{en:"complete",de:"vollständig"},"receipt.incomplete":{en:"not complete",de:"nicht vollständig"},"receipt.removed":{en:{one:"{n} entry removed",other:"{n} entries removed"},de:{one:"{n} Eintrag entfernt",other:"{n} Einträge entfernt"}},"receipt.details":{en:"Places",de:"Orte"},"receipt.place":{en:"Place",de:"Ort"},"receipt.found":{en:"Found",de:"Gefunden"},"receipt.removed_short":{en:"Removed",de:"Entfernt"},"receipt.left":{en:"Left",de:"Übrig"},"receipt.files":{en:"Files: {state}",de:"Dateien: {state}"},"receipt.save":{en:"Save as a file",de:"Als Datei speichern"},"level.record":{en:"Memory",de:"Erinnerung"},"level.conversation":{en:"Conversation",de:"Gespräch"},"level.collection":{en:"Collection",de:"Sammlung"},"level.user":{en:"User",de:"Benutzer"},"level.workspace":{en:"Workspace",de:"Arbeitsbereich"},"graph.lead":{en:"What one memory was derived from, replaced, was said with, and is similar to.",de:"Woraus eine Erinnerung abgeleitet ist, was sie ersetzt, womit sie gesagt wurde und was ihr ähnelt."},"graph.empty":{en:"Choose a memory",de:"Wählen Sie eine Erinnerung"},"graph.empty_text":{en:"Search for one above.",de:"Suchen Sie oben eine."},"graph.search":{en:"Search memories",de:"Erinnerungen suchen"},"graph.find":{en:"Search",de:"Suchen"},"graph.results":{en:"Found memories",de:"Gefundene Erinnerungen"},"graph.none":{en:"Nothing was found.",de:"Nichts gefunden."},"graph.picture":{en:{one:"Picture of the memory and {n} neighbour; the list has the same.",other:"Picture of the memory and its {n} neighbours; the list has the same."},de:{one:"Bild der Erinnerung mit {n} Nachbarn; die Liste enthält dasselbe.",other:"Bild der Erinnerung mit {n} Nachbarn; die Liste enthält dasselbe."}},"graph.open":{en:"Open the memory",de:"Erinnerung öffnen"},"graph.conversation":{en:"Conversation",de:"Gespräch"},"graph.alone":{en:"It has no neighbour.",de:"Sie hat keine Nachbarn."},"graph.left_out":{en:{one:"{n} more connection is not shown.",other:"{n} more connections are not shown."},de:{one:"{n} weitere Verbindung ist nicht gezeigt.",other:"{n} weitere Verbindungen sind nicht gezeigt."}},"relation.replaced_by":{en:"Replaces or replaced by",de:"Ersetzt oder ersetzt durch"},"relation.derived_from":{en:"Derived",de:"Abgeleitet"},"relation.about_the_same":{en:"About the same",de:"Über dasselbe"},"relation.similar":{en:"Similar",de:"Ähnlich"},"relation.said_in":{en:"Same conversation",de:"Gleiches Gespräch"},"settings.lead":{en:"They hold for everyone who uses this flow. Each value is checked as you change it.",de:"Sie gelten für alle, die diesen Ablauf benutzen. Jeder Wert wird beim Ändern geprüft."},"settings.filter":{en:"Search settings",de:"Einstellungen suchen"},"settings.none":{en:"No setting has these words.",de:"Keine Einstellung enthält diese Wörter."},"settings.default":{en:"Default: {value}.",de:"Vorgabe: {value}."},"settings.range":{en:"From {low} to {high}.",de:"Von {low} bis {high}."},"settings.set":{en:"Set here.",de:"Hier gesetzt."},"settings.true":{en:"on",de:"an"},"settings.false":{en:"off",de:"aus"},"settings.empty":{en:"(empty)",de:"(leer)"},"settings.not_json":{en:"This is not a value of this setting: write a number, or JSON.",de:"Das ist kein Wert dieser Einstellung: Schreiben Sie eine Zahl oder JSON."},"settings.discard":{en:"Discard changes",de:"Änderungen verwerfen"},"settings.save":{en:{one:"Save {n} change",other:"Save {n} changes"},de:{one:"{n} Änderung speichern",other:"{n} Änderungen speichern"}},"settings.for_all":{en:"These changes hold for everyone who uses this flow.",de:"Diese Änderungen gelten für alle, die diesen Ablauf benutzen."},"settings.key":{en:"Admin key",de:"Schlüssel eines Verwalters"},"settings.key_text":{en:"It is used once and not kept. This command makes one:",de:"Er wird einmal benutzt und nicht behalten. Dieser Befehl erzeugt einen:"},"settings.saved":{en:"The settings are saved.",de:"Die Einstellungen sind gespeichert."},"health.lead":{en:"Whether every part answers, what is stored, and who has a key.",de:"Ob jeder Teil antwortet, was gespeichert ist und wer einen Schlüssel hat."},"health.again":{en:"Check again",de:"Noch einmal prüfen"},"health.parts":{en:"Parts",de:"Teile"},"health.ready":{en:"ready",de:"bereit"},"health.not_ready":{en:"not ready",de:"nicht bereit"},"health.ok":{en:"ok",de:"in Ordnung"},"health.versions":{en:"Versions",de:"Versionen"},"health.embedding":{en:"Embedding model",de:"Einbettungsmodell"},"health.stored":{en:"Stored",de:"Gespeichert"},"kind.vectors":{en:"vectors",de:"Vektoren"},"stored.conversations":{en:"conversations",de:"Gespräche"},"stored.invocations":{en:"exchanges",de:"Wortwechsel"},"health.keys":{en:"Your keys",de:"Ihre Schlüssel"},"health.no_keys":{en:"There is none. A program needs one; this command makes it:",de:"Es gibt keinen. Ein Programm braucht einen; dieser Befehl erzeugt ihn:"},"health.key":{en:"Key",de:"Schlüssel"},"health.label":{en:"Label",de:"Bezeichnung"},"health.reach":{en:"Collections",de:"Sammlungen"},"health.made":{en:"Made",de:"Erstellt"},"health.used":{en:"Last used",de:"Zuletzt benutzt"},"health.never":{en:"never",de:"nie"},"health.state":{en:"State",de:"Stand"},"health.valid":{en:"valid",de:"gültig"},"health.reads":{en:"reads only",de:"nur lesend"},"health.revoked":{en:"revoked",de:"gesperrt"},"ask.lead":{en:"Each answer shows what was recalled for it, and why.",de:"Zu jeder Antwort steht, woran sich der Agent dafür erinnert hat, und warum."},"ask.new":{en:"New conversation",de:"Neues Gespräch"},"ask.empty":{en:"Tell it something, or ask",de:"Erzählen oder fragen Sie etwas"},"ask.empty_text":{en:"What you say is remembered and comes back when it matters, in this conversation and in later ones.",de:"Was Sie sagen, wird behalten und kommt wieder, wenn es zählt: in diesem Gespräch und in späteren."},"ask.question":{en:"Your question",de:"Ihre Frage"},"ask.placeholder":{en:"Ask, or say something to remember",de:"Fragen, oder etwas Merkenswertes sagen"},"ask.send":{en:"Send",de:"Senden"},"ask.recalling":{en:"Recalling …",de:"Erinnert sich …"},"ask.answering":{en:"Answering …",de:"Antwortet …"},"ask.lost":{en:"The connection was lost during the answer. The turn is finished and recorded all the same: see the conversation.",de:"Die Verbindung brach während der Antwort ab. Der Agent beantwortet die Frage trotzdem und zeichnet sie auf: siehe das Gespräch."},"ask.recalled":{en:{one:"{n} memory recalled",other:"{n} memories recalled"},de:{one:"{n} Erinnerung abgerufen",other:"{n} Erinnerungen abgerufen"}},"ask.nothing_recalled":{en:"Nothing was recalled.",de:"Es wurde nichts abgerufen."},"ask.gate":{en:"Nothing was searched for ({reason}).",de:"Es wurde nicht gesucht ({reason})."},"ask.missing":{en:"Without {part}: {reason}",de:"Ohne {part}: {reason}"},"ask.rests":{en:{one:"rests on {n} memory",other:"rests on {n} memories"},de:{one:"beruht auf {n} Erinnerung",other:"beruht auf {n} Erinnerungen"}},"ask.rests_on_none":{en:"cites no memory",de:"nennt keine Erinnerung"},"ask.useful":{en:"The cited memories were useful",de:"Die genannten Erinnerungen waren nützlich"},"ask.useless":{en:"The cited memories were not useful",de:"Die genannten Erinnerungen waren nicht nützlich"},"ask.rated":{en:{one:"Noted for {n} memory. The ranking learns from it.",other:"Noted for {n} memories. The ranking learns from it."},de:{one:"Notiert für {n} Erinnerung. Die Reihenfolge lernt daraus.",other:"Notiert für {n} Erinnerungen. Die Reihenfolge lernt daraus."}},"ask.score":{en:"score {score}",de:"Wertung {score}"},"ask.rank_before":{en:"rank {rank} before learning",de:"vor dem Lernen Rang {rank}"},"ask.cited":{en:"cited",de:"genannt"},"ask.thoughts":{en:{one:"{n} step",other:"{n} steps"},de:{one:"{n} Schritt",other:"{n} Schritte"}},"ask.jobs":{en:"What follows in the background",de:"Was im Hintergrund folgt"}};var rt={en:"English",de:"Deutsch"},Ln="react-mem-language";function Vo(){let e=localStorage.getItem(Ln);return e in rt?e:navigator.languages.map(t=>t.slice(0,2)).find(t=>t in rt)??"en"}var z=E(Vo());function Rn(e){localStorage.setItem(Ln,e),z.value=e}function a(e,t={}){let n=Rt[e]?.[z.value];return n===void 0?e:(typeof n=="string"?n:n[new Intl.PluralRules(z.value).select(t.n)]??n.other).replace(/\{(\w+)\}/g,(i,s)=>s in t?Jo(t[s]):i)}function Jo(e){return typeof e=="number"?e.toLocaleString(z.value):String(e)}var A=(e,t)=>Rt[`${e}.${t}`]?a(`${e}.${t}`):t;function F({tone:e="",children:t}){return l`<span class=${`badge ${e}`}>${t}</span>`}var ve=({kind:e})=>l`<${F} tone=${`kind-${e}`}>${A("kind",e)}<//>`,Ko={active:"good",succeeded:"good",running:"warm",pending:"warm",quarantined:"warm",failed:"bad"},be=({status:e})=>l`<${F} tone=${Ko[e]??""}>${A("status",e)}<//>`;function Zo(e){return Object.entries(e??{}).map(([n,o])=>({name:n,value:Number(o)})).filter(n=>Math.abs(n.value)>=.005).sort((n,o)=>Math.abs(o.value)-Math.abs(n.value))}function st({why:e,most:t,limit:n=20}){let o=Zo(e).slice(0,n),i=t??Math.max(.01,...o.map(s=>Math.abs(s.value)));return l`<ul class="bars">
    ${o.map(({name:s,value:r})=>{let c=Math.min(1,Math.abs(r)/i)*50,u=r<0?{left:`${50-c}%`,width:`${c}%`}:{left:"50%",width:`${c}%`};return l`<li>
        <span class="bar-name">${A("feature",s)}</span>
        <span class="bar-track" aria-hidden="true"><span class=${r<0?"bar minus":"bar"} style=${u}></span></span>
        <span class="bar-value">${r>0?"+":"−"}${Math.abs(r).toFixed(2)}</span>
      </li>`})}
  </ul>`}function Re({title:e,close:t,wide:n=!1,children:o}){let i=G(null);return V(()=>(i.current.showModal(),()=>i.current?.close()),[]),l`<dialog ref=${i} class=${n?"dialog dialog-wide":"dialog"} aria-labelledby="dialog-title" onClose=${t}>
    <h2 id="dialog-title">${e}</h2>
    ${o}
  </dialog>`}function K({title:e,children:t,label:n,typed:o="",act:i,done:s,close:r}){let[c,u]=_({busy:!1,error:""}),[f,p]=_("");return l`<${Re} title=${e} close=${r}>
    <form onSubmit=${async h=>{h.preventDefault(),u({busy:!0,error:""});try{let d=await i();r(),s?.(d)}catch(d){u({busy:!1,error:d.message||a("state.unreachable")})}}}>
      ${t}
      ${o&&l`<label class="field">
        <span>${a("confirm.type",{word:o})}</span>
        <input value=${f} onInput=${h=>p(h.target.value)} autocomplete="off" />
      </label>`}
      ${c.error&&l`<p class="error" role="alert">${c.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${r}>${a("action.cancel")}</button>
        <button type="submit" class="button danger" disabled=${c.busy||o&&f!==o}>${n}</button>
      </div>
    </form>
  <//>`}var Le=E([]),Qo=6e3;function C(e,t){let n={text:e,action:t};Le.value=[...Le.value,n].slice(-3),setTimeout(()=>Pn(n),Qo)}var Pn=e=>{Le.value=Le.value.filter(t=>t!==e)};function In(){return l`<div class="notices" role="status">
    ${Le.value.map(e=>l`<div class="notice">
        <span>${e.text}</span>
        ${e.action&&l`<button
          type="button"
          class="button quiet"
          onClick=${()=>{Pn(e),e.action.act()}}
        >
          ${e.action.label}
        </button>`}
      </div>`)}
  </div>`}var Xo={ask:"M4 5h16v11H9l-5 4z",memories:"M5 4h11l3 3v13H5zM9 11h6M9 15h6",recall:"M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 21 21M8 10.5h5M10.5 8v5",conversations:"M4 5h12v8H8l-4 3zM9 16h7l4 3v-9h-2",rules:"M5 6h14M5 12h14M5 18h9M3 6h0M3 12h0M3 18h0",jobs:"M12 7v5l3 2M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",learning:"M4 19V5M4 19h16M7 15l4-5 3 3 5-7",erasures:"M6 7h12M9 7V4h6v3M8 7l1 13h6l1-13",graph:"M6 8a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM18 12a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM9 20a2 2 0 1 1 0-4 2 2 0 0 1 0 4zM8 7l8 2.5M7 8l1.5 8M16.5 11.5 11 17",settings:"M4 7h10M18 7h2M4 17h2M10 17h10M16 9V5M8 19v-4",health:"M3 12h4l2-6 4 12 2-6h6",menu:"M4 7h16M4 12h16M4 17h16",send:"M5 12h13M12 6l6 6-6 6",up:"M7 21V10l4-7c2 0 2.5 1.5 2 3.5L12.500 10H19l-1.500 11zM7 10H4v11h3",down:"M17 3v11l-4 7c-2 0-2.500-1.500-2-3.500L11.500 14H5L6.500 3zM17 14h3V3h-3",close:"M6 6l12 12M18 6 6 18"},fe=({name:e})=>l`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${Xo[e]??""} /></svg>`;function x({title:e,lead:t,actions:n,wide:o=!1,children:i}){return l`<div class=${o?"page page-wide":"page"}>
    <header class="page-head">
      <div>
        <h1 tabindex="-1">${e}</h1>
        ${t&&l`<p class="lead">${t}</p>`}
      </div>
      ${n&&l`<div class="actions">${n}</div>`}
    </header>
    ${i}
  </div>`}function it({lines:e=4}){let t=[92,78,85,64,88,71];return l`<div class="loading" role="status">
    <span class="unseen">${a("state.loading")}</span>
    ${Array.from({length:e},(n,o)=>l`<span class="skeleton" style=${{width:`${t[o%6]}%`}}></span>`)}
  </div>`}function W({title:e,text:t,command:n,children:o}){return l`<div class="empty">
    <${Yo} />
    <h2>${e}</h2>
    ${t&&l`<p>${t}</p>`} ${n&&l`<p><code>${n}</code></p>`} ${o}
  </div>`}function Yo(){return l`<svg viewBox="0 0 48 32" width="72" height="48" aria-hidden="true" class="mark">
    <path d="M8 24V14a8 8 0 0 1 16 0v10M24 14a8 8 0 0 1 16 0v10" />
    <circle cx="8" cy="24" r="4" /><circle cx="24" cy="24" r="4" /><circle cx="40" cy="24" r="4" />
  </svg>`}function Wn({error:e,retry:t}){let n=e.status===0||!e.message?a("state.unreachable"):e.message;return l`<div class="failure" role="alert">
    <div>
      <strong>${a("state.failed")}</strong>
      <p>${n}</p>
    </div>
    ${t&&l`<button type="button" class="button" onClick=${t}>${a("action.retry")}</button>`}
  </div>`}var qn="urn:trustgraph:memory:recalled",zn="urn:trustgraph:memory:cited";function Un(e){return E({question:e,at:new Date().toISOString(),thoughts:[],answer:"",recalled:null,cited:null,jobs:[],error:"",ended:!1,open:""})}function Gn(e,t){let n={...e},o=t.message_type,i=t.content??"";if(o==="explain")for(let[s,r]of er(t))s===qn&&(n.recalled=r),s===zn&&(n.cited=r);else if(o==="answer")n.answer+=i,t.end_of_message&&!t.end_of_dialog&&(n.answer="");else if(o==="thought"||o==="observation"||o==="action"){let s=e.open===o,r=s?e.thoughts.at(-1):{kind:o,text:""};n.thoughts=[...s?e.thoughts.slice(0,-1):e.thoughts,{kind:o,text:r.text+i}]}return o!=="explain"&&(n.open=t.end_of_message?"":o),t.end_of_dialog&&(n.ended=!0,n.tokens=(t.in_token??0)+(t.out_token??0),n.model=t.model??""),n}function er(e){let t=[];for(let{p:n,o}of e.explain_triples??[])if(!(n?.i!==qn&&n?.i!==zn))try{t.push([n.i,JSON.parse(o.v)])}catch{continue}return t}function Hn(e,t){let n=t.kind.slice(4),o={id:t.job_id,kind:t.job_kind,status:n,error:t.error??""},i=e.jobs.some(s=>s.id===o.id);return{...e,jobs:i?e.jobs.map(s=>s.id===o.id?o:s):[...e.jobs,o]}}var Pt="/ui/",at=E(location.pathname+location.search),Z=ge(()=>{let[e,t=""]=at.value.split("?"),[n="",...o]=e.slice(Pt.length).split("/").filter(Boolean).map(decodeURIComponent);return{pane:n,rest:o,query:new URLSearchParams(t)}});function w(e,t={}){let n=Object.entries(t).filter(([,i])=>i),o=n.length?`?${new URLSearchParams(n)}`:"";return Pt+e.map(encodeURIComponent).join("/")+o}function te(e,{replace:t=!1}={}){e!==at.value&&(history[t?"replaceState":"pushState"](null,"",e),at.value=e)}addEventListener("popstate",()=>{at.value=location.pathname+location.search});addEventListener("click",e=>{let t=e.target instanceof Element?e.target.closest("a[href]"):null,n=e.button===0&&!e.metaKey&&!e.ctrlKey&&!e.shiftKey&&!e.altKey;!t||!n||t.target||t.origin!==location.origin||!t.pathname.startsWith(Pt)||t.pathname.includes(".")||t.hash||(e.preventDefault(),te(t.pathname+t.search))});var tr=[["year",31536e3],["month",2592e3],["week",604800],["day",86400],["hour",3600],["minute",60]];function Fn(e,t=Date.now(),n=z.value){let o=(new Date(e)-t)/1e3,i=new Intl.RelativeTimeFormat(n,{numeric:"auto"});for(let[s,r]of tr)if(Math.abs(o)>=r)return i.format(Math.trunc(o/r),s);return i.format(0,"second")}function It(e,t=z.value){return new Date(e).toLocaleString(t,{dateStyle:"medium",timeStyle:"short"})}function I({at:e,both:t=!1}){if(!e||Number.isNaN(new Date(e).getTime()))return null;let n=It(e);return l`<time datetime=${e} title=${n}>${t?`${n} (${Fn(e)})`:Fn(e)}</time>`}var Q=E([]),Bn=E(Vn());function Vn(){return`ui-${crypto.randomUUID()}`}tt(["job."],e=>{let t=Q.value.at(-1);t&&e.kind!=="lost"&&(t.value=Hn(t.value,e))});async function nr(e){let t=Un(e);Q.value=[...Q.value,t];let n={question:e,streaming:!0,conversation_id:Bn.value};try{await Dn(n,o=>{t.value=Gn(t.value,o)})}catch(o){t.value={...t.value,ended:!0,error:o.message==="lost"?a("ask.lost"):o.message}}}function Jn(){let e=()=>{Q.value=[],Bn.value=Vn()},t=Q.value.length>0&&l`<button type="button" class="button" onClick=${e}>${a("ask.new")}</button>`;return l`<${x} title=${a("pane.ask")} lead=${a("ask.lead")} actions=${t}>
    ${Q.value.length===0&&l`<${W} title=${a("ask.empty")} text=${a("ask.empty_text")} />`}
    <ol class="turns">
      ${Q.value.map((n,o)=>l`<${rr} key=${n} turn=${n} last=${o===Q.value.length-1} />`)}
    </ol>
    <${or} busy=${Q.value.length>0&&!Q.value.at(-1).value.ended} />
  <//>`}function or({busy:e}){let[t,n]=_(""),o=G(null),i=r=>{r.preventDefault();let c=t.trim();!c||e||(n(""),nr(c),o.current?.focus())},s=r=>{r.key==="Enter"&&!r.shiftKey&&!r.isComposing&&i(r)};return l`<form class="composer" onSubmit=${i}>
    <label class="unseen" for="question">${a("ask.question")}</label>
    <textarea
      id="question"
      ref=${o}
      rows="2"
      placeholder=${a("ask.placeholder")}
      value=${t}
      onInput=${r=>n(r.target.value)}
      onKeyDown=${s}
    ></textarea>
    <button type="submit" class="button primary" disabled=${e||!t.trim()}><${fe} name="send" />${a("ask.send")}</button>
  </form>`}function rr({turn:e,last:t}){let{question:n,at:o,recalled:i,cited:s,answer:r,error:c,ended:u,thoughts:f,jobs:p}=e.value,m=G(null);V(()=>{t&&m.current?.scrollIntoView({block:"end"})},[t,u]);let h=i?.memories??[],d=s?.indices??[];return l`<li class="turn" ref=${m}>
    <div class="said"><p>${n}</p><${I} at=${o} /></div>
    <div class="card reply">
      <${sr} text=${r} ended=${u} />
      ${r?l`<p class="answer">${r}${u&&d.map(g=>l`<${ir} index=${g} memory=${h[g]} />`)}</p>`:!u&&l`<p class="thinking">${i?a("ask.answering"):a("ask.recalling")}</p>`}
      ${c&&l`<p class="error" role="alert">${c}</p>`}
      ${u&&!c&&l`<${ar} turn=${e.value} />`}
      ${i&&l`<${lr} recalled=${i} cited=${d} ended=${u} />`}
      ${f.length>0&&l`<${cr} thoughts=${f} />`}
      ${p.length>0&&l`<${ur} jobs=${p} />`}
    </div>
  </li>`}function sr({text:e,ended:t}){let n=t?e:e.slice(0,Math.max(e.lastIndexOf(". "),e.lastIndexOf(`
`))+1);return l`<div class="unseen" aria-live="polite">${n}</div>`}function ir({index:e,memory:t}){return t?l`<a class="cite" href=${w(["memories",t.id])} title=${t.content}>${e+1}</a>`:null}function ar({turn:e}){let[t,n]=_(0),o=e.cited?.ids??[],i=async r=>{try{await Promise.all(o.map(c=>J(`/v1/memories/${c}/feedback`,{rating:r}))),n(r),C(a("ask.rated",{n:o.length}))}catch(c){C(c.message||a("state.unreachable"))}},s=o.length?a("ask.rests",{n:o.length}):a("ask.rests_on_none");return l`<div class="verdict">
    <span>${s}</span>
    ${o.length>0&&l`<span class="thumbs">
      <button type="button" class="button quiet" aria-pressed=${t===1} onClick=${()=>i(1)}>
        <${fe} name="up" /><span class="unseen">${a("ask.useful")}</span>
      </button>
      <button type="button" class="button quiet" aria-pressed=${t===-1} onClick=${()=>i(-1)}>
        <${fe} name="down" /><span class="unseen">${a("ask.useless")}</span>
      </button>
    </span>`}
  </div>`}function lr({recalled:e,cited:t,ended:n}){let o=e.memories??[],i=Math.max(.01,...o.flatMap(r=>Object.values(r.why??{}).map(c=>Math.abs(Number(c))))),s=e.missing??[];if(!o.length){let r=e.gate?a("ask.gate",{reason:e.gate}):a("ask.nothing_recalled");return l`<p class="quiet-line">${r}</p>`}return l`<details class="recalled" open=${!n||void 0}>
    <summary>${a("ask.recalled",{n:o.length})}</summary>
    ${s.map(r=>l`<p class="warning">${a("ask.missing",{part:r.part,reason:r.reason})}</p>`)}
    <ol>
      ${o.map((r,c)=>l`<li class=${t.includes(c)?"memory cited":"memory"}>
          <span class="number">${c+1}</span>
          <div>
            <p><a href=${w(["memories",r.id])}>${r.content}</a></p>
            <p class="meta">
              <${ve} kind=${r.kind} />
              ${r.speaker&&l`<span>${r.speaker}</span>`} <${I} at=${r.said_at} />
              <span>${a("ask.score",{score:r.score.toFixed(2)})}</span>
              ${r.rank_before>=0&&r.rank_before!==c&&l`<span>${a("ask.rank_before",{rank:r.rank_before+1})}</span>`}
              ${t.includes(c)&&l`<strong>${a("ask.cited")}</strong>`}
            </p>
            <${st} why=${r.why} most=${i} limit=${4} />
          </div>
        </li>`)}
    </ol>
  </details>`}var cr=({thoughts:e})=>l`<details class="thoughts">
  <summary>${a("ask.thoughts",{n:e.length})}</summary>
  ${e.map(t=>l`<p class=${t.kind}><strong>${A("step",t.kind)}</strong> ${t.text}</p>`)}
</details>`,ur=({jobs:e})=>l`<ul class="jobs-line" aria-label=${a("ask.jobs")}>
  ${e.map(t=>l`<li title=${t.error||void 0}>${A("job",t.kind)} <${be} status=${t.status} /></li>`)}
</ul>`;var dr=250;function D(e,t=[],n=[]){let[o,i]=_({data:void 0,error:null,loading:!0}),s=G(null),r=mn(()=>{s.current?.abort();let c=s.current=new AbortController;i(u=>({...u,loading:!0})),e(c.signal).then(u=>c.signal.aborted||i({data:u,error:null,loading:!1}),u=>c.signal.aborted||i(f=>({...f,error:u,loading:!1})))},t);return V(()=>(r(),()=>s.current?.abort()),[r]),V(()=>{if(!n.length)return;let c=0,u=tt(n,()=>{clearTimeout(c),c=setTimeout(r,dr)});return()=>{clearTimeout(c),u()}},[r,n.join()]),{...o,again:r}}function O({loaded:e,children:t}){let{data:n,error:o,again:i}=e;return l`${o&&l`<${Wn} error=${o} retry=${i} />`}${n!==void 0?t(n):!o&&l`<${it} />`}`}function ye({label:e,columns:t,rows:n}){return l`<div class="table-wrap" tabindex="0" role="region" aria-label=${e}>
    <table class="data">
      <thead>
        <tr>${t.map(o=>l`<th scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${n.map(o=>l`<tr>${o.map(i=>l`<td>${i}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`}function Wt({shown:e,next:t,more:n}){return t?l`<p class="more"><span>${a("list.shown",{n:e})}</span> <button type="button" class="button" onClick=${n}>${a("list.more")}</button></p>`:null}var Kn=50,pr=200,he=1e3;function Zn(){let{query:e}=Z.value;if(e.get("id"))return l`<${hr} id=${e.get("id")} />`;let t=e.get("show")==="episodes";return l`<${x} title=${a("pane.conversations")} lead=${a("conversations.lead")}>
    <nav class="tabs" aria-label=${a("conversations.views")}>
      <a href=${w(["conversations"])} aria-current=${t?void 0:"page"}>${a("conversations.list")}</a>
      <a href=${w(["conversations"],{show:"episodes"})} aria-current=${t?"page":void 0}>${a("conversations.episodes")}</a>
    </nav>
    ${t?l`<${gr} />`:l`<${fr} />`}
  <//>`}function fr(){let[e,t]=_(Kn),n=D(o=>k("/v1/conversations",{limit:e},{signal:o}),[e],["job."]);return l`<${O} loaded=${n}>
    ${({results:o,next:i})=>l`
      ${!o.length&&l`<${W} title=${a("conversations.empty")} text=${a("conversations.empty_text")} command="react-mem chat" />`}
      <ol class="rows">
        ${o.map(s=>l`<li key=${s.id} class="card row">
            <a class="row-title" href=${w(["conversations"],{id:s.id})}>${s.id}</a>
            <p class="meta">
              <${Qn} ended=${s.ended} />
              <span>${a("conversations.exchanges",{n:Number(s.metadata.turns??0)})}</span>
              <${I} at=${s.metadata.last_at} both />
            </p>
          </li>`)}
      </ol>
      <${Wt} shown=${o.length} next=${e<he&&i} more=${()=>t(Math.min(he,e*4))} />
    `}
  <//>`}var Qn=({ended:e})=>l`<${F} tone=${e?"":"good"}>${a(e?"conversations.ended":"conversations.open")}<//>`;function hr({id:e}){let t=`/v1/conversations/${encodeURIComponent(e)}`,o=D(m=>Promise.all([k(t,{limit:pr},{signal:m}),k("/v1/memories",{conversation_id:e,limit:he},{signal:m})]).then(([h,d])=>({conversation:h,memories:d.results})),[e],["job.","memory."]),[i,s]=_(""),r=()=>te(w(["conversations"])),c={end:()=>C(a("conversations.now_ended")),forget:u};function u({operation_id:m}){r(),C(a("conversations.forgotten"),{label:a("receipt.show"),act:()=>te(w(["erasures"],{id:m}))})}let{data:f}=o,p=f&&l`
    ${!f.conversation.ended&&l`<button type="button" class="button" onClick=${()=>s("end")}>${a("conversations.end")}</button>`}
    <button type="button" class="button danger" onClick=${()=>s("forget")}>${a("conversations.forget")}</button>
  `;return l`<${x} title=${a("conversations.one")} lead=${e} actions=${p}>
    <p><a href=${w(["conversations"])}>${a("conversations.back")}</a></p>
    <${O} loaded=${o}>
      ${({conversation:m,memories:h})=>l`
        <p class="meta">
          <${Qn} ended=${m.ended} /> <${I} at=${m.metadata.started_at} both />
          <span>${a("conversations.learned",{n:h.length})}</span>
        </p>
        <ol class="timeline">
          ${(m.exchanges??[]).map(d=>l`<li key=${d.id}>
              <${I} at=${d.at} both />
              <p class="asked">${d.query}</p>
              <p class="answered">${d.result}</p>
            </li>`)}
        </ol>
        ${h.length>0&&l`<${mr} memories=${h} />`}
        ${i==="end"&&l`<${K}
          title=${a("conversations.end")}
          label=${a("conversations.end")}
          act=${()=>J(`${t}/end`)}
          done=${c.end}
          close=${()=>s("")}
        ><p>${a("conversations.end_text")}</p><//>`}
        ${i==="forget"&&l`<${K}
          title=${a("conversations.forget")}
          label=${a("action.forget")}
          act=${()=>ee(t)}
          done=${c.forget}
          close=${()=>s("")}
        ><p>${a("conversations.forget_text",{exchanges:Number(m.metadata.turns??0),memories:h.length===he?a("list.or_more",{n:he}):h.length})}</p><//>`}
      `}
    <//>
  <//>`}var mr=({memories:e})=>l`<section>
  <h2>${a("conversations.memories")}</h2>
  <ul class="rows">
    ${e.slice(0,100).map(t=>l`<li key=${t.id} class="row"><a href=${w(["memories",t.id])}>${t.memory}</a> <${ve} kind=${t.kind} /></li>`)}
  </ul>
</section>`;function gr(){let[e,t]=_(Kn),[n,o]=_(null),i=D(s=>k("/v1/episodes",{limit:e},{signal:s}),[e],["memory.","job."]);return l`<${O} loaded=${i}>
    ${({results:s,next:r})=>l`
      ${!s.length&&l`<${W} title=${a("episodes.empty")} text=${a("episodes.empty_text")} />`}
      <ol class="rows">
        ${s.map(c=>l`<${_r} key=${c.id} episode=${c} forget=${()=>o(c)} />`)}
      </ol>
      <${Wt} shown=${s.length} next=${e<he&&r} more=${()=>t(Math.min(he,e*4))} />
      ${n&&l`<${K}
        title=${a("episodes.forget")}
        label=${a("action.forget")}
        act=${()=>ee(`/v1/episodes/${encodeURIComponent(n.id)}`)}
        done=${()=>C(a("episodes.forgotten"))}
        close=${()=>{o(null),i.again()}}
      ><p>${a("episodes.forget_text")}</p><p><strong>${n.goal}</strong></p><//>`}
    `}
  <//>`}function _r({episode:e,forget:t}){return l`<li class="card row">
    <h2>${e.goal}</h2>
    <p class="meta">
      <${F} tone=${e.succeeded?"good":"bad"}>${a(e.succeeded?"episodes.succeeded":"episodes.failed")}<//>
      <${I} at=${e.created_at} both />
      ${e.run_id&&l`<a href=${w(["conversations"],{id:e.run_id})}>${a("episodes.conversation")}</a>`}
    </p>
    ${e.outcome&&l`<p>${e.outcome}</p>`}
    ${e.lessons&&l`<p><strong>${a("episodes.lessons")}</strong> ${e.lessons}</p>`}
    ${e.steps.length>0&&l`<details><summary>${a("episodes.steps",{n:e.steps.length})}</summary>
      <ol class="steps">${e.steps.map(n=>l`<li>${n}</li>`)}</ol></details>`}
    <div class="actions"><button type="button" class="button quiet" onClick=${t}>${a("action.forget")}</button></div>
  </li>`}var $r=200,lt=E([]);function Xn(){let e=Z.value.query.get("id"),t=D(n=>vr(e,n),[e],["job.","memory.forgotten"]);return l`<${x} title=${a("pane.erasures")} lead=${a("erasures.lead")}>
    <${br} />
    <${yr} done=${t.again} />
    <section>
      <h2>${a("erasures.receipts")}</h2>
      <${O} loaded=${t}>
        ${n=>{let o=[...lt.value,...n];return o.length?l`<ul class="rows">${o.map(i=>l`<${kr} key=${i.operation_id} entry=${i} open=${i.operation_id===e} />`)}</ul>`:l`<${W} title=${a("erasures.empty")} text=${a("erasures.empty_text")} />`}}
      <//>
    </section>
  <//>`}async function vr(e,t){let{results:n}=await k("/v1/receipts",{limit:$r},{signal:t});if(!e||[...n,...lt.value].some(i=>i.operation_id===e))return n;let o=await k(`/v1/receipts/${encodeURIComponent(e)}`,{},{signal:t}).catch(i=>{if(i.status===404)return null;throw i});return o?[o,...n]:n}function br(){let e=D(i=>k("/v1/switches",{},{signal:i})),[t,n]=_(null),o=async(i,s)=>{try{n(await ot("/v1/switches",{[i]:s})),C(a(`erasures.${i}_${s?"on":"off"}`))}catch(r){C(r.message||a("state.unreachable")),e.again()}};return l`<section class="card row">
    <h2>${a("erasures.switches")}</h2>
    <${O} loaded=${e}>
      ${i=>["read","write"].map(s=>l`<label class="switch">
          <input type="checkbox" role="switch" checked=${(t??i)[s]==="on"} onChange=${r=>o(s,r.target.checked)} />
          <span><strong>${a(`erasures.${s}`)}</strong><br /><span class="quiet-line">${a(`erasures.${s}_text`)}</span></span>
        </label>`)}
    <//>
  </section>`}function yr({done:e}){let{user:t,collections:n}=N.value,[o,i]=_(null),s=async(u,f)=>{try{i({level:u,name:f,counts:u==="collection"?await wr(f):[]})}catch(p){C(p.message||a("state.unreachable"))}},r=u=>{u.receipt?.places&&(lt.value=[u,...lt.value]),C(a("erasures.done")),e()},c=n[0]??"default";return l`<section class="card row">
    <h2>${a("erasures.all")}</h2>
    <p class="quiet-line">${a("erasures.all_text")}</p>
    <div class="actions">
      <button type="button" class="button danger" onClick=${()=>s("collection",c)}>${a("erasures.collection",{name:c})}</button>
      ${!n.length&&l`<button type="button" class="button danger" onClick=${()=>s("user",t)}>${a("erasures.user",{name:t})}</button>`}
    </div>
    ${o&&l`<${K}
      title=${a(`erasures.${o.level}`,{name:o.name})}
      label=${a("action.forget")}
      typed=${o.name}
      act=${()=>ee("/v1/memories",o.level==="collection"?{collection:o.name}:{user_id:o.name})}
      done=${r}
      close=${()=>i(null)}
    >
      <p>${a("erasures.for_good")}</p>
      <ul class="tiles">${o.counts.map(([u,f])=>l`<li><strong>${f}</strong> ${u}</li>`)}</ul>
    <//>`}
  </section>`}async function wr(e){let{memories:t,episodes:n,conversations:o}=await k("/v1/stats",{collection:e});return[...Object.entries(t).filter(([s,r])=>!["vectors","embedding"].includes(s)&&Number(r)).map(([s,r])=>[A("kind",s),r]),[a("erasures.episodes"),n.episodes??0],[a("erasures.conversations"),o.conversations??0]]}function kr({entry:e,open:t}){let{operation_id:n,receipt:o}=e,i=Object.entries(o.places??{}),s=u=>i.reduce((f,[,p])=>f+Number(p[u]??0),0),r=o.complete??!s("left"),c=`data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(e,null,1))}`;return l`<li class="card row">
    <p class="meta">
      <strong>${A("level",o.level)}</strong>
      <${F} tone=${r?"good":"warm"}>${a(r?"receipt.complete":"receipt.incomplete")}<//>
      <span>${a("receipt.removed",{n:s("removed")})}</span>
      <${I} at=${o.at??""} both />
    </p>
    <details open=${t||void 0}>
      <summary>${a("receipt.details")}</summary>
      <${ye}
        label=${a("receipt.details")}
        columns=${[a("receipt.place"),a("receipt.found"),a("receipt.removed_short"),a("receipt.left")]}
        rows=${i.map(([u,f])=>[u,f.found??"",f.removed??"",f.left??""])}
      />
      ${o.files&&l`<p class="quiet-line">${a("receipt.files",{state:o.files.state??o.files.after})}</p>`}
      ${(o.notes??[]).map(u=>l`<p class="quiet-line">${u}</p>`)}
      <p class="quiet-line"><code>${n}</code> <a href=${c} download=${`receipt-${n}.json`}>${a("receipt.save")}</a></p>
    </details>
  </li>`}var xr=300,B=640,Sr=24,we=["replaced by","derived from","about the same","similar","said in"];function eo(){let e=Z.value.query.get("id");return l`<${x} title=${a("pane.graph")} lead=${a("graph.lead")} wide>
    <${Er} />
    ${e?l`<${Tr} key=${e} id=${e} />`:l`<${W} title=${a("graph.empty")} text=${a("graph.empty_text")} />`}
  <//>`}function Er(){let[e,t]=_(""),[n,o]=_(null),i=async r=>{r.preventDefault(),e.trim()&&o(await J("/v1/memories/search",{query:e,limit:8}).catch(c=>({error:c.message||a("state.unreachable")})))},s=r=>{o(null),te(w(["graph"],{id:r.id}))};return l`<form class="search" role="search" onSubmit=${i}>
    <label class="field"><span>${a("graph.search")}</span>
      <input type="search" value=${e} onInput=${r=>t(r.target.value)} /></label>
    <button type="submit" class="button">${a("graph.find")}</button>
    ${n?.error&&l`<p class="error" role="alert">${n.error}</p>`}
    ${n?.results&&l`<ul class="rows found" aria-label=${a("graph.results")}>
      ${!n.results.length&&l`<li>${a("graph.none")}</li>`}
      ${n.results.map(r=>l`<li key=${r.id}><button type="button" class="button quiet" onClick=${()=>s(r)}>${r.memory}</button></li>`)}
    </ul>`}
  </form>`}function Tr({id:e}){let t=D(n=>k(`/v1/memories/${encodeURIComponent(e)}/neighbours`,{limit:xr},{signal:n}),[e],["memory."]);return l`<${O} loaded=${t}>
    ${n=>l`<div class="graph">
      <${Ar} graph=${n} />
      <${Cr} graph=${n} />
    </div>
    ${n.left_out>0&&l`<p class="warning">${a("graph.left_out",{n:n.left_out})}</p>`}`}
  <//>`}function to({memories:e,conversation_id:t,connections:n}){let o=e[0].id,i=new Map;for(let r of n){let c=r.source===o?r.target:r.source,u=we.indexOf(r.relation);c!==o&&!(we.indexOf(i.get(c)?.relation)<=u&&i.has(c))&&i.set(c,r)}let s=new Map(e.map(r=>[r.id,r]));return t&&i.delete(t),we.map(r=>({name:r,entries:[...i].filter(([,c])=>c.relation===r).map(([c,u])=>({memory:s.get(c),connection:u}))})).filter(r=>r.entries.length)}function Mr(e){let t=e.reduce((i,s)=>i+s,0),n=Math.max(1,Math.ceil(t/Sr)),o=0;return e.map(i=>Array.from({length:i},()=>{let s=o%n,r=2*Math.PI*o/Math.max(1,t)-Math.PI/2,c=(B/2-24)*(n===1?.72:.42+.56*s/(n-1));return o+=1,{x:B/2+c*Math.cos(r),y:B/2+c*Math.sin(r)}}))}function Ar({graph:e}){let t=to(e),n=Mr(t.map(i=>i.entries.length)),o=e.memories.length<=40;return l`<svg class="card picture" viewBox=${`0 0 ${B} ${B}`} role="img" aria-label=${a("graph.picture",{n:e.memories.length-1})}>
    ${t.map(({name:i},s)=>n[s].map(({x:r,y:c})=>l`<line class=${`edge edge-${we.indexOf(i)}`} x1=${B/2} y1=${B/2} x2=${r} y2=${c} />`))}
    ${t.map(({name:i,entries:s},r)=>s.map(({memory:c},u)=>{let{x:f,y:p}=n[r][u];return l`<g class=${`node node-${we.indexOf(i)}`} onClick=${()=>te(w(["graph"],{id:c.id}))}>
          <circle cx=${f} cy=${p} r=${o?9:5} /><title>${c.memory}</title>
          ${o&&l`<text x=${f} y=${p+22} text-anchor="middle">${Yn(c.memory,20)}</text>`}
        </g>`}))}
    <circle class="centre-node" cx=${B/2} cy=${B/2} r="13" />
    <text class="centre-label" x=${B/2} y=${B/2+30} text-anchor="middle">${Yn(e.memories[0].memory,40)}</text>
  </svg>`}var Yn=(e,t)=>[...e].length>t?`${[...e].slice(0,t-1).join("")}…`:e;function Cr({graph:e}){let[t]=e.memories;return l`<div class="graph-list">
    <h2>${t.memory}</h2>
    <p class="meta"><${ve} kind=${t.kind} /> <${be} status=${t.status} /> <a href=${w(["memories",t.id])}>${a("graph.open")}</a>
      ${e.conversation_id&&l`<a href=${w(["conversations"],{id:e.conversation_id})}>${a("graph.conversation")}</a>`}</p>
    ${e.memories.length===1&&l`<p class="quiet-line">${a("graph.alone")}</p>`}
    ${to(e).map(({name:n,entries:o})=>l`<section>
        <h3><i class=${`key edge-key-${we.indexOf(n)}`} aria-hidden="true"></i>${A("relation",n.replaceAll(" ","_"))} (${o.length})</h3>
        <ul class="rows">
          ${o.map(({memory:i,connection:s})=>l`<li key=${i.id}><a href=${w(["graph"],{id:i.id})}>${i.memory}</a>
              ${s.label&&l`<span class="quiet-line"> (${s.label})</span>`}</li>`)}
        </ul>
      </section>`)}
  </div>`}var jr=["embedding"];async function Nr(e){return(await fetch("/health/ready",{signal:e})).json()}function no(){let e=D(n=>Promise.all([Nr(n),k("/version",{},{signal:n}),k("/v1/stats",{},{signal:n}),k("/v1/keys",{},{signal:n})]).then(([o,i,s,r])=>({ready:o,version:i,stats:s,keys:r.results}))),t=l`<button type="button" class="button" disabled=${e.loading} onClick=${e.again}>${a("health.again")}</button>`;return l`<${x} title=${a("pane.health")} lead=${a("health.lead")} actions=${t}>
    <${O} loaded=${e}>
      ${({ready:n,version:o,stats:i,keys:s})=>l`
        <section class="card row">
          <h2>${a("health.parts")}</h2>
          <p role="status"><${F} tone=${n.status==="ready"?"good":"bad"}>${a(n.status==="ready"?"health.ready":"health.not_ready")}<//></p>
          <ul class="tiles">
            ${Object.entries(n.parts).map(([r,c])=>l`<li>${r} <${F} tone=${c==="ok"?"good":"bad"}>${c==="ok"?a("health.ok"):c}<//></li>`)}
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
            ${[["memories",i.memories],["conversations",i.conversations]].flatMap(([r,c])=>Object.entries(c).filter(([u,f])=>!jr.includes(u)&&Number(f)).map(([u,f])=>l`<li><strong>${f}</strong> ${r==="memories"?A("kind",u):A("stored",u)}</li>`))}
          </ul>
        </section>
        <section class="card row">
          <h2>${a("health.keys")}</h2>
          ${s.length===0?l`<p class="quiet-line">${a("health.no_keys")} <code>react-mem keys create</code></p>`:l`<${ye}
                label=${a("health.keys")}
                columns=${[a("health.key"),a("health.label"),a("health.reach"),a("health.made"),a("health.used"),a("health.state")]}
                rows=${s.map(r=>[l`<code>${r.id}</code>`,r.label,r.collections.join(", ")||a("shell.all_collections"),l`<${I} at=${r.created_at} />`,r.last_used_at?l`<${I} at=${r.last_used_at} />`:a("health.never"),l`<${F} tone=${r.revoked_at?"bad":"good"}>${a(r.revoked_at?"health.revoked":r.writes?"health.valid":"health.reads")}<//>`])}
              />`}
        </section>
      `}
    <//>
  <//>`}var Dr=200,oo=["running","pending","failed","succeeded","cancelled"];function ro(){let e=Z.value.query.get("status")??"",n=D(r=>Promise.all([k("/v1/operations",{limit:Dr,status:e},{signal:r}),k("/v1/stats",{},{signal:r})]).then(([{results:c},{operations:u}])=>({jobs:c,stats:u})),[e],["job."]),[o,i]=_(null),s=async(r,c)=>{try{await J(`/v1/operations/${encodeURIComponent(r.id)}/${c}`),C(a(`jobs.${c}_done`))}catch(u){C(u.message||a("state.unreachable"))}n.again()};return l`<${x} title=${a("pane.jobs")} lead=${a("jobs.lead")}>
    <label class="field narrow"><span>${a("jobs.filter")}</span>
      <select value=${e} onChange=${r=>te(w(["jobs"],{status:r.target.value}))}>
        <option value="">${a("jobs.all")}</option>
        ${oo.map(r=>l`<option value=${r}>${A("status",r)}</option>`)}
      </select></label>
    <${O} loaded=${n}>
      ${({jobs:r,stats:c})=>l`
        <${Or} jobs=${r} stats=${c} />
        ${!r.length&&l`<${W} title=${a("jobs.empty")} text=${a("jobs.empty_text")} />`}
        <ul class="rows">
          ${r.map(u=>l`<li key=${u.id} class="card row">
              <p class="meta"><strong>${A("job",u.kind)}</strong> <${be} status=${u.status} />
                ${u.attempt>1&&l`<span>${a("jobs.attempt",{n:u.attempt})}</span>`}
                <${I} at=${u.updated_at} both /></p>
              ${u.error&&l`<p class="error">${u.error}</p>`}
              ${u.summary&&l`<p class="quiet-line">${u.summary}</p>`}
              <p class="quiet-line"><code>${u.id}</code></p>
              <div class="actions">
                ${["failed","pending"].includes(u.status)&&l`<button type="button" class="button" onClick=${()=>s(u,"retry")}>${a("jobs.retry")}</button>`}
                ${["pending","running"].includes(u.status)&&l`<button type="button" class="button" onClick=${()=>s(u,"cancel")}>${a("jobs.cancel")}</button>`}
                ${["failed","pending"].includes(u.status)&&l`<button type="button" class="button quiet" onClick=${()=>i(u)}>${a("jobs.drop")}</button>`}
                ${u.kind==="forget"&&u.status==="succeeded"&&l`<a class="button" href=${w(["erasures"],{id:u.id})}>${a("receipt.show")}</a>`}
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    ${o&&l`<${K}
      title=${a("jobs.drop")}
      label=${a("jobs.drop")}
      act=${()=>ee(`/v1/operations/${encodeURIComponent(o.id)}`)}
      done=${()=>C(a("jobs.dropped"))}
      close=${()=>{i(null),n.again()}}
    ><p>${a("jobs.drop_text",{kind:A("job",o.kind)})}</p><//>`}
  <//>`}function Or({jobs:e,stats:t}){let n=oo.map(o=>[o,e.filter(i=>i.status===o).length]).filter(([,o])=>o);return l`
    ${n.length>0&&l`<div class="share" aria-hidden="true">
      ${n.map(([o,i])=>l`<span class=${`share-${o}`} style=${{flexGrow:i}}></span>`)}
    </div>`}
    <ul class="tiles">
      ${n.map(([o,i])=>l`<li><strong>${i}</strong> ${A("status",o)}</li>`)}
    </ul>
    ${t.files&&l`<p class="quiet-line">${t.files}</p>`}
    ${t.former_embedding&&l`<p class="warning">${a("jobs.embedding",{scopes:t.scopes_to_embed,records:t.records_to_embed})}</p>`}
  `}var ct=640,Pe=170,Ie=44,so=22,Lr=10,Rr=20;function ut({title:e,curves:t,low:n,high:o,ends:i=["",""]}){let s=(f,p)=>Ie+(ct-Ie-4)*(p>1?f/(p-1):.5),r=f=>Pe-so-(Math.min(o,Math.max(n,f))-n)/(o-n||1)*(Pe-so-Lr),c=f=>f.toLocaleString(z.value,{maximumFractionDigits:2}),u=t.filter(f=>f.values.length>0);return l`<figure class="chart card">
    <figcaption>
      <strong>${e}</strong>
      <span class="legend">
        ${u.map(({name:f,values:p},m)=>l`<span><i class=${`key key${m}`} aria-hidden="true"></i>${f}: ${c(p.at(-1))}</span>`)}
      </span>
    </figcaption>
    <svg viewBox=${`0 0 ${ct} ${Pe}`} aria-hidden="true">
      ${[n,(n+o)/2,o].map(f=>l`<line x1=${Ie} x2=${ct} y1=${r(f)} y2=${r(f)} class="grid" />
          <text x=${Ie-6} y=${r(f)+4} text-anchor="end">${c(f)}</text>`)}
      ${u.map(({values:f},p)=>f.length>1?l`<polyline class=${`curve curve${p}`} points=${f.map((m,h)=>`${s(h,f.length).toFixed(1)},${r(m).toFixed(1)}`).join(" ")} />`:l`<circle class=${`dot dot${p}`} cx=${s(0,1)} cy=${r(f[0])} r="4" />`)}
      <text x=${Ie} y=${Pe-4}>${i[0]}</text>
      <text x=${ct-4} y=${Pe-4} text-anchor="end">${i[1]}</text>
    </svg>
    <details>
      <summary>${a("chart.table")}</summary>
      <${ye} label=${e} columns=${[a("chart.turn"),...u.map(f=>f.name)]} rows=${Pr(u,c)} />
    </details>
  </figure>`}function Pr(e,t){let n=Math.max(0,...e.map(i=>i.values.length)),o=Math.max(0,n-Rr);return Array.from({length:n-o},(i,s)=>[o+s+1,...e.map(({values:r})=>r[o+s]===void 0?"":t(r[o+s]))])}var ao=10,io=5;function qt(e,t){let n=t==="reward"||t==="citation_rate";return e.filter(o=>t in o&&!(n&&(o.malformed||o.absent))).map(o=>Number(o[t]))}function Ir(e,t=ao){return e.map((n,o)=>{let i=e.slice(Math.max(0,o-t+1),o+1);return i.reduce((s,r)=>s+r,0)/i.length})}function lo(){let e=D(t=>k("/v1/learn",{},{signal:t}),[],["job."]);return l`<${x} title=${a("pane.learning")} lead=${a("learning.lead")}>
    <${O} loaded=${e}>${({status:t})=>l`<${qr} rows=${t.rows??[]} policy=${t.policy??{}} />`}<//>
  <//>`}function Wr({won:e=0,lost:t=0,trust:n=0}){let o={won:Math.round(e),lost:Math.round(t),trust:n.toFixed(2)};return e+t<io?a("learning.early",{...o,needed:io}):a(e>t?"learning.helps":"learning.no_help",o)}function qr({rows:e,policy:t}){if(!e.length)return l`<${W} title=${a("learning.empty")} text=${a("learning.empty_text")} command="react-mem chat" />`;let n=c=>c?.at?It(c.at*1e3):"",o=[n(e[0]),n(e.at(-1))],i=(c,u=!0)=>({name:a(`learning.${c}`),values:u?Ir(qt(e,c)):qt(e,c)}),s=qt(e,"weight_norm"),r=t.features??{};return l`
    <p>${Wr(t)}</p>
    ${!e.at(-1).learning&&l`<p class="warning">${a("learning.off")}</p>`}
    <ul class="tiles">
      <li><strong>${e.length}</strong> ${a("learning.turns",{n:e.length})}</li>
      <li><strong>${t.updates??0}</strong> ${a("learning.updates")}</li>
      <li><strong>${(t.trust??0).toFixed(2)}</strong> ${a("learning.trust")}</li>
    </ul>
    <${ut} title=${a("learning.citations")} curves=${[i("citation_rate"),i("mrr_shown")]} low=${0} high=${1} ends=${o} />
    <${ut} title=${a("learning.rewards")} curves=${[i("reward")]} low=${-1} high=${1} ends=${o} />
    <${ut} title=${a("learning.weights")} curves=${[i("weight_norm",!1),i("trust",!1)]} low=${0} high=${Math.max(1,...s)} ends=${o} />
    <p class="quiet-line">${a("learning.means",{n:ao})}</p>
    ${Object.keys(r).length>0&&l`<section class="card row"><h2>${a("learning.features")}</h2><${st} why=${r} /></section>`}
  `}function co(){return l`<${x} title=${a("pane.memories")} />`}function uo(){return l`<${x} title=${a("pane.recall")} />`}var zr=500;function po(){let[e,t]=_(null),[n,o]=_(null),i=D(c=>k("/v1/rules",{limit:zr},{signal:c}),[],["memory."]),s=D(c=>k("/v1/profile",{},{signal:c}),[],["memory."]),r=l`<button type="button" class="button primary" onClick=${()=>t({})}>${a("rules.add")}</button>`;return l`<${x} title=${a("pane.rules")} lead=${a("rules.lead")} actions=${r}>
    <${O} loaded=${i}>
      ${({results:c})=>l`
        ${!c.length&&l`<${W} title=${a("rules.empty")} text=${a("rules.empty_text")} />`}
        <ul class="rows">
          ${c.map(u=>l`<li key=${u.id} class="card row">
              ${u.condition&&l`<p class="meta">${a("rules.when",{condition:u.condition})}</p>`}
              <p><strong>${u.action||u.memory}</strong></p>
              <p class="meta"><${I} at=${u.created_at} /> <a href=${w(["memories",u.id])}>${a("rules.history")}</a></p>
              <div class="actions">
                <button type="button" class="button" onClick=${()=>t(u)}>${a("action.edit")}</button>
                <button type="button" class="button quiet" onClick=${()=>o(u)}>${a("action.forget")}</button>
              </div>
            </li>`)}
        </ul>
      `}
    <//>
    <section>
      <h2>${a("rules.profile")}</h2>
      <${O} loaded=${s}>
        ${({profile:c})=>c?l`<div class="card row"><p class="whole">${c.memory}</p><p class="meta"><${I} at=${c.created_at} both /> <a href=${w(["memories",c.id])}>${a("rules.history")}</a></p></div>`:l`<p class="quiet-line">${a("rules.no_profile")}</p>`}
      <//>
    </section>
    ${e&&l`<${Ur} rule=${e} close=${()=>t(null)} done=${i.again} />`}
    ${n&&l`<${K}
      title=${a("rules.forget")}
      label=${a("action.forget")}
      act=${()=>ee(`/v1/memories/${encodeURIComponent(n.id)}`)}
      done=${()=>{i.again(),C(a("rules.forgotten"))}}
      close=${()=>o(null)}
    ><p>${a("rules.forget_text")}</p><p><strong>${n.memory}</strong></p><//>`}
  <//>`}function Ur({rule:e,close:t,done:n}){let[o,i]=_(e.condition??""),[s,r]=_(e.action??""),[c,u]=_({busy:!1,error:""}),f=async p=>{p.preventDefault(),u({busy:!0,error:""});let m=o.trim()?`${o.trim()}: ${s.trim()}`:s.trim(),h={condition:o.trim(),action:s.trim()};try{await(e.id?On(`/v1/memories/${encodeURIComponent(e.id)}`,{text:m,...h}):J("/v1/rules",h)),t(),n(),C(a("rules.saved"))}catch(d){u({busy:!1,error:d.message||a("state.unreachable")})}};return l`<${Re} title=${a(e.id?"rules.edit":"rules.add")} close=${t}>
    <form onSubmit=${f}>
      <label class="field"><span>${a("rules.condition")}</span>
        <input value=${o} onInput=${p=>i(p.target.value)} required=${!!e.condition} /></label>
      <label class="field"><span>${a("rules.action")}</span>
        <textarea rows="3" required value=${s} onInput=${p=>r(p.target.value)}></textarea></label>
      ${c.error&&l`<p class="error" role="alert">${c.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${t}>${a("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${c.busy||!s.trim()}>${a("action.save")}</button>
      </div>
    </form>
  <//>`}var zt="/v1/settings";function Gr(e,t){return e.choices.length||e.type==="string"?t:e.type==="boolean"?t==="true":JSON.parse(t)}var Ut=(e,t)=>typeof t=="string"?t:JSON.stringify(t);function fo(){let e=D(h=>k(zt,{},{signal:h})),[t,n]=_({}),[o,i]=_(""),[s,r]=_(!1),c=async(h,d)=>{let g=v=>n(y=>({...y,[h.name]:v}));if(d===Ut(h,h.value)){n(({[h.name]:v,...y})=>y);return}let T;try{T=Gr(h,d)}catch{g({text:d,error:a("settings.not_json")});return}g({text:d,value:T,error:""}),await ot(zt,{settings:{[h.name]:T},dry_run:!0}).catch(v=>{let y=v.message||a("state.unreachable");n($=>$[h.name]?.text===d?{...$,[h.name]:{text:d,value:T,error:y}}:$)})},u=Object.keys(t).length,f=Object.values(t).some(h=>h.error),p=u>0&&l`
    <button type="button" class="button" onClick=${()=>n({})}>${a("settings.discard")}</button>
    <button type="button" class="button primary" disabled=${f} onClick=${()=>r(!0)}>${a("settings.save",{n:u})}</button>
  `,m=()=>{n({}),e.again(),C(a("settings.saved"))};return l`<${x} title=${a("pane.settings")} lead=${a("settings.lead")} actions=${p}>
    <label class="field narrow"><span>${a("settings.filter")}</span>
      <input type="search" value=${o} onInput=${h=>i(h.target.value)} /></label>
    <${O} loaded=${e}>
      ${({results:h})=>{let d=h.filter(g=>`${g.name} ${g.meaning}`.toLowerCase().includes(o.trim().toLowerCase()));return l`${!d.length&&l`<p class="quiet-line">${a("settings.none")}</p>`}
          <ul class="rows">${d.map(g=>l`<${Hr} key=${g.name} setting=${g} change=${t[g.name]} edit=${c} />`)}</ul>`}}
    <//>
    ${s&&l`<${Fr} changes=${t} done=${m} close=${()=>r(!1)} />`}
  <//>`}function Hr({setting:e,change:t,edit:n}){let o=`setting-${e.name}`,i=t?.text??Ut(e,e.value),s=e.choices.length?e.choices:e.type==="boolean"?["true","false"]:[],r={id:o,value:i,"aria-describedby":`${o}-meaning`,"aria-invalid":t?.error?"true":void 0};return l`<li class="card row setting">
    <label for=${o}><code>${e.name}</code></label>
    ${s.length?l`<select ...${r} onChange=${c=>n(e,c.target.value)}>
          ${s.map(c=>l`<option value=${c}>${e.type==="boolean"?a(`settings.${c}`):c||a("settings.empty")}</option>`)}
        </select>`:l`<input ...${r} inputmode=${["integer","number"].includes(e.type)?"decimal":void 0} onInput=${c=>n(e,c.target.value)} />`}
    <p id=${`${o}-meaning`} class="quiet-line">${e.meaning} ${a("settings.default",{value:Ut(e,e.default)})}
      ${e.minimum!==null&&e.maximum!==null&&a("settings.range",{low:e.minimum,high:e.maximum})}
      ${e.is_set&&l`<strong>${a("settings.set")}</strong>`}</p>
    ${t?.error&&l`<p class="error" role="alert">${t.error}</p>`}
  </li>`}function Fr({changes:e,done:t,close:n}){let[o,i]=_(""),[s,r]=_({busy:!1,error:""}),c=async u=>{u.preventDefault(),r({busy:!0,error:""});let f=await Br(o.trim(),Object.fromEntries(Object.entries(e).map(([p,m])=>[p,m.value])));f===null?(n(),t()):r({busy:!1,error:f||a("state.unreachable")})};return l`<${Re} title=${a("settings.save",{n:Object.keys(e).length})} close=${n}>
    <form onSubmit=${c}>
      <p>${a("settings.for_all")}</p>
      <ul>${Object.entries(e).map(([u,f])=>l`<li><code>${u}</code> = ${f.text}</li>`)}</ul>
      <label class="field"><span>${a("settings.key")}</span>
        <input type="password" autocomplete="off" value=${o} onInput=${u=>i(u.target.value)} required /></label>
      <p class="quiet-line">${a("settings.key_text")} <code>react-mem keys create --kind admin</code></p>
      ${s.error&&l`<p class="error" role="alert">${s.error}</p>`}
      <div class="dialog-actions">
        <button type="button" class="button" onClick=${n}>${a("action.cancel")}</button>
        <button type="submit" class="button primary" disabled=${s.busy}>${a("action.save")}</button>
      </div>
    </form>
  <//>`}async function Br(e,t){let n={"Content-Type":"application/json",Authorization:`Bearer ${e}`},o=await fetch(zt,{method:"PUT",headers:n,body:JSON.stringify({settings:t})}).catch(()=>null);return o?.ok?null:(await o?.json().catch(()=>null))?.detail??""}var dt=[{id:"ask",component:Jn},{id:"memories",component:co},{id:"recall",component:uo},{id:"conversations",component:Zn},{id:"rules",component:po},{id:"jobs",component:ro},{id:"learning",component:lo},{id:"erasures",component:Xn},{id:"graph",component:eo},{id:"settings",component:fo},{id:"health",component:no}];function ho(){let[e,t]=_(""),[n,o]=_(!1),i=async s=>{s.preventDefault(),o(!0),await Nt(e.trim()),o(!1)};return l`<main class="centre">
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
            value=${e}
            aria-describedby="refusal"
            onInput=${s=>t(s.target.value)}
          />
        </label>
        <p id="refusal" class="error" role="alert">${jt.value}</p>
        <button type="submit" class="button primary" disabled=${n||!e.trim()}>${a("sign_in.submit")}</button>
      </form>
    </div>
  </main>`}var Gt=["system","light","dark"],go="react-mem-theme",mo=localStorage.getItem(go),pt=E(Gt.includes(mo)?mo:"system");function _o(e){localStorage.setItem(go,e),pt.value=e}q(()=>{document.documentElement.dataset.theme=pt.value});q(()=>{document.documentElement.lang=z.value});function vo(){return N.value===void 0?l`<main class="centre"><${it} lines=${3} /></main>`:N.value===null?l`<${ho} />`:l`<${Vr} />`}function Vr(){let[e,t]=_(!1),{pane:n}=Z.value,o=dt.find(r=>r.id===(n||dt[0].id)),i=G(null),s=G(!0);return V(()=>{t(!1),document.title=`${o?a(`pane.${o.id}`):a("state.no_page")} · react-mem`,s.current?s.current=!1:i.current?.querySelector("h1")?.focus({preventScroll:!0}),i.current?.scrollTo(0,0)},[o,z.value]),l`<div class="shell">
    <a class="skip" href="#content" onClick=${r=>{r.preventDefault(),i.current?.focus()}}>${a("shell.skip")}</a>
    <header class="topbar">
      <button type="button" class="button quiet" aria-expanded=${e} aria-controls="nav" onClick=${()=>t(!e)}>
        <${fe} name="menu" /><span>${a("shell.menu")}</span>
      </button>
      <${$o} />
    </header>
    <div class=${e?"side open":"side"} id="nav">
      <${$o} />
      <nav aria-label=${a("shell.panes")}>
        <ul>
          ${dt.map(r=>l`<li>
              <a href=${w([r.id])} aria-current=${r===o?"page":void 0} onClick=${()=>t(!1)}>
                <${fe} name=${r.id} />${a(`pane.${r.id}`)}
              </a>
            </li>`)}
        </ul>
      </nav>
      <${Kr} />
    </div>
    <main id="content" tabindex="-1" ref=${i}>
      <${Jr} />
      ${o?l`<${o.component} key=${o.id} />`:l`<${x} title=${a("state.no_page")}><${W} title=${a("state.no_page_text")} /><//>`}
    </main>
    <${In} />
  </div>`}var $o=()=>l`<a class="brand" href=${w([])}><img src="/ui/icon.svg" width="28" height="28" alt="" />react-mem</a>`;function Jr(){return se.value!=="lost"?null:l`<p class="banner" role="status">${a("state.connection_lost")}</p>`}function Kr(){let{user:e,collections:t}=N.value;return l`<div class="foot">
    <p class="who"><span class="avatar" aria-hidden="true">${e.slice(0,1).toUpperCase()}</span
      ><span><strong>${e}</strong><br />${t.join(", ")||a("shell.all_collections")}</span></p>
    <div class="choices">
      <label><span class="unseen">${a("shell.language")}</span>
        <select value=${z.value} onChange=${n=>Rn(n.target.value)}>
          ${Object.entries(rt).map(([n,o])=>l`<option value=${n}>${o}</option>`)}
        </select></label>
      <label><span class="unseen">${a("shell.theme")}</span>
        <select value=${pt.value} onChange=${n=>_o(n.target.value)}>
          ${Gt.map(n=>l`<option value=${n}>${a(`theme.${n}`)}</option>`)}
        </select></label>
    </div>
    <button type="button" class="button quiet" onClick=${jn}>${a("shell.sign_out")}</button>
  </div>`}on(l`<${vo} />`,document.getElementById("app"));Cn();
